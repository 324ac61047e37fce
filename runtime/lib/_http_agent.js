'use strict';
// An older name of a part of http.
const { Agent } = require('internal/http/agent');
module.exports = { Agent, globalAgent: Agent.globalAgent };
