// The runs that are recorded as fixtures: what the model is scripted to do in each, and how the run ends.
import { claude, codex, codexCodeMode } from '../support/model-server/calls.mjs';
import { CODEX_CODE_MODE_MODEL } from './clients.mjs';

/**
 * @typedef {object} Case
 * @property {import('../support/model-server/main.mjs').Script} script
 * @property {string} [prompt]
 * @property {string} [model]
 * @property {number} [retries]
 * @property {string} [servedModel]
 * @property {true} [mcp] the run has the echo server
 * @property {string} [killAt] the client gets SIGTERM once its output holds this text
 */

export const WORKDIR = '/srv/demo/api';

const SUBTASK = 'Count the source files.';
const FIXED = 'Fixed add(); one test still fails because the fixture expects 4.';

const calc = `${WORKDIR}/calc.js`;
const notes = `${WORKDIR}/docs/add.md`;
const outside = '/srv/demo/shared/NOTES.md';

/** @type {Record<string, Case>} */
export const claudeCases = {
  edits: {
    script: [
      [claude.read(calc)],
      [claude.edit(calc, 'a - b', 'a + b'), claude.write(notes, '# add\n')],
      [claude.bash('npm test')],
      [claude.edit(calc, 'no such line', 'x')],
      [claude.bash('grep -rn add docs calc.js | head -3'), claude.read(outside)],
      { say: FIXED },
    ],
  },
  retry: { script: [{ status: 529 }, { say: 'Done at the second try.' }], retries: 1, servedModel: 'claude-sonnet-5-5-served' },
  'model-500': { script: [{ status: 500 }, { status: 500 }], retries: 1 },
  'model-401': { script: [{ status: 401 }] },
  killed: { script: [[claude.read(calc)], [claude.bash('npm run serve')]], killAt: 'npm run serve' },
  subagent: {
    script: {
      conversations: [
        { when: SUBTASK, turns: [[claude.bash('ls')], { say: 'Three.' }] },
        { turns: [[claude.agent(SUBTASK)], { say: 'There are three files.' }] },
      ],
    },
  },
  mcp: {
    script: [[claude.mcp('echo', 'echo', { text: 'hi' })], [claude.mcp('echo', 'echo', { text: 'fail' })], { say: 'Echoed.' }],
    mcp: true,
  },
  'slash-prompt': { script: [], prompt: '/help' },
};

const CALC_FIX = '*** Update File: calc.js\n@@\n-exports.add = (a, b) => a - b;\n+exports.add = (a, b) => a + b;';
const NEW_NOTES = '*** Add File: docs/add.md\n+# add';

/** @type {Record<string, Case>} */
export const codexCases = {
  edits: {
    script: [
      [{ say: 'Looking first.' }, codex.exec('cat calc.js')],
      [codex.patch(CALC_FIX, NEW_NOTES)],
      [codex.exec('npm test')],
      [codex.update('calc.js', 'no such line', 'x')],
      [codex.exec('grep -rn add docs calc.js | head -3')],
      { say: FIXED },
    ],
  },
  'code-mode': {
    model: CODEX_CODE_MODE_MODEL,
    script: [[codexCodeMode.exec('npm test')], [codexCodeMode.patch(CALC_FIX)], { say: FIXED }],
  },
  'model-500': { script: [{ status: 500 }, { status: 500 }] },
  'model-401': { script: [{ status: 401 }] },
  'stream-cut': { script: [[codex.exec('ls')], { cut: true }, { cut: true }], retries: 1 },
  killed: { script: [[codex.exec('cat calc.js')], [codex.exec('npm run serve')]], killAt: 'npm run serve' },
  subagent: {
    model: CODEX_CODE_MODE_MODEL,
    script: {
      conversations: [
        { when: SUBTASK, turns: [[codexCodeMode.exec('ls')], { say: 'Three.' }] },
        { turns: [[codexCodeMode.spawnAgent(SUBTASK)], [codexCodeMode.waitAgent()], { say: 'There are three files.' }] },
      ],
    },
  },
  mcp: {
    script: [[codex.mcp('echo', 'echo', { text: 'hi' })], [codex.mcp('echo', 'echo', { text: 'fail' })], { say: 'Echoed.' }],
    mcp: true,
  },
};
