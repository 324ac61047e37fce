// Resolves packages from the folder of the run: all that rollup needs to bundle lodash-es.
import path from 'node:path';

export default function () {
  return {
    name: 'resolve',
    resolveId(source) {
      return source === 'lodash-es' ? path.join(process.cwd(), 'node_modules', 'lodash-es', 'lodash.js') : null;
    },
  };
}
