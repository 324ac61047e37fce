'use strict';
// An application of express, asked by axios with a limit of two seconds.
const express = require('express');
const axios = require('axios');
const fs = require('fs');
const app = express();
app.get('/size', (request, response, next) => fs.stat(__filename, (error, stat) =>
  (error ? next(error) : response.json({ size: stat.size }))));
const server = app.listen(0, '127.0.0.1', async () => {
  const client = axios.create({ baseURL: `http://127.0.0.1:${server.address().port}`, timeout: 2000 });
  for (let n = 0; n < 3; n++) {
    const { data } = await client.get('/size');
    if (!(data.size > 0)) throw new Error(JSON.stringify(data));
  }
  await Promise.all([1, 2, 3].map(() => client.get('/size')));
  server.close();
  if (server.closeIdleConnections) server.closeIdleConnections();
});
