// Every property prints its seed on failure and can be replayed with FC_SEED; FC_RUNS raises the number of cases.
import * as fc from 'fast-check';

const seed = process.env['FC_SEED'] === undefined ? (Date.now() ^ (process.pid << 8)) | 0 : Number(process.env['FC_SEED']);
const numRuns = process.env['FC_RUNS'] === undefined ? 100 : Number(process.env['FC_RUNS']);

fc.configureGlobal({ seed, numRuns });
