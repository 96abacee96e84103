// A scripted stand-in for a client that keeps transcripts as claude, codex or crush does and prints nothing machines read.
// usage: transcript-agent.mjs FAMILY STEPS   where STEPS is a JSON list, carried out in order:
// {"session": id, "ago": ms, "cwd": path, "child": true} begins a session (which says it began that long ago, works there, is the
// last one's sub-agent), {"continue": id} goes on with one, {"user": text}, {"edit": path, "failed": true}, {"run": [command, failed]},
// {"say": text}, {"cost": dollars}, {"again": true} writes the file anew with all rows so far, {"truncate": true} begins it anew with
// none, {"touch": path}, {"await": path}, {"sleep": ms}, {"stay": true} lives on until it is ended, {"exit": code}.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { crushWriter } from './crush-writer.mjs';

const [family, text] = process.argv.slice(2);
const steps = JSON.parse(text);
const home = process.env.HOME ?? homedir();
let calls = 0;

const now = (ago = 0) => new Date(Date.now() - ago).toISOString();

const fileWriter = (pathOf, rowsOf) => {
  let path = '';
  let rows = [];
  let place = {};
  const write = (row) => {
    rows.push(row);
    appendFileSync(path, `${JSON.stringify(row)}\n`);
  };
  return {
    begin: (session, { ago, cwd = process.cwd(), child = false }) => {
      place = {
        session,
        cwd,
        parent: child ? (place.root ?? place.session) : undefined,
        root: child ? (place.root ?? place.session) : session,
      };
      path = pathOf(place);
      rows = [];
      mkdirSync(dirname(path), { recursive: true });
      for (const row of rowsOf.head?.(place, now(ago)) ?? []) write(row);
    },
    goOn: (session) => {
      place = { session, cwd: process.cwd(), root: session };
      path = pathOf(place);
    },
    rows: (kind, ...said) => {
      for (const row of rowsOf[kind](place, now(), ...said)) write(row);
    },
    again: () => writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
    truncate: () => {
      rows = [];
      writeFileSync(path, '');
    },
  };
};

const claude = () => {
  const slug = (cwd) => cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  const root = process.env.CLAUDE_CONFIG_DIR ?? join(home, '.claude');
  const base = ({ session, cwd, parent }, timestamp) => ({
    ...(parent === undefined ? { isSidechain: false } : { isSidechain: true, agentId: session }),
    cwd,
    sessionId: parent ?? session,
    timestamp,
    uuid: crypto.randomUUID(),
    version: '2.1.332',
  });
  const call = (place, at, name, input, output, failed) => [
    {
      ...base(place, at),
      type: 'assistant',
      message: {
        id: `m${calls}`,
        model: 'scripted-1',
        content: [{ type: 'tool_use', id: `toolu_${place.session}_${calls}`, name, input }],
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    },
    {
      ...base(place, at),
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `toolu_${place.session}_${calls}`, content: output, is_error: failed }] },
    },
  ];
  const pathOf = ({ session, cwd, parent }) =>
    parent === undefined
      ? join(root, 'projects', slug(cwd), `${session}.jsonl`)
      : join(root, 'projects', slug(cwd), parent, 'subagents', `agent-${session}.jsonl`);
  return fileWriter(pathOf, {
    head: (place, at) => [
      { type: 'queue-operation', timestamp: at, sessionId: place.parent ?? place.session },
      { ...base(place, at), type: 'attachment' },
    ],
    user: (place, at, said) => [{ ...base(place, at), type: 'user', message: { role: 'user', content: said } }],
    edit: (place, at, path, failed) => call(place, at, 'Edit', { file_path: path }, 'updated', failed),
    run: (place, at, command, failed) => call(place, at, 'Bash', { command }, failed ? 'Exit code 1' : 'ok', failed),
    say: (place, at, said) => [
      {
        ...base(place, at),
        type: 'assistant',
        message: {
          id: `m${calls}`,
          model: 'scripted-1',
          content: [{ type: 'text', text: said }],
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      },
    ],
    cost: (place, _at, dollars) => [
      {
        type: 'cost-state',
        sessionId: place.session,
        totalCostUSD: dollars,
        modelUsage: { 'scripted-1': { inputTokens: 100, outputTokens: 50 } },
      },
    ],
  });
};

const codex = () => {
  const root = join(process.env.CODEX_HOME ?? join(home, '.codex'), 'sessions');
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  let ordinal = 0;
  const row = (timestamp, type, payload) => ({ timestamp, ordinal: ordinal++, type, payload });
  const usage = (at, thread_id) => row(at, 'token_usage_record', { thread_id, usage: { input_tokens: 10, output_tokens: 5 } });
  const item = (place, at, value) => [
    usage(at, place.session),
    row(at, 'event_msg', { type: 'item_completed', thread_id: place.session, item: { id: `call_${calls}`, ...value } }),
  ];
  return fileWriter(({ session }) => join(root, day, `rollout-2026-01-01T00-00-00-${session}.jsonl`), {
    head: ({ session, cwd, parent }, at) => [
      row(at, 'session_meta', {
        id: session,
        cwd,
        timestamp: at,
        source: parent === undefined ? 'cli' : { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
        model_provider: 'scripted',
      }),
      row(at, 'turn_context', { model: 'scripted-1', cwd }),
    ],
    user: (place, at, said) => item(place, at, { type: 'UserMessage', content: [{ type: 'text', text: said }] }),
    edit: (place, at, path, failed) =>
      item(place, at, {
        type: 'FileChange',
        changes: { [resolve(place.cwd, path)]: { type: 'update', unified_diff: '' } },
        status: failed ? 'failed' : 'completed',
      }),
    run: (place, at, command, failed) =>
      item(place, at, {
        type: 'CommandExecution',
        command: ['/bin/bash', '-lc', command],
        status: failed ? 'failed' : 'completed',
        exit_code: failed ? 1 : 0,
      }),
    say: (_place, at, said) => [row(at, 'event_msg', { type: 'task_complete', last_agent_message: said })],
    cost: () => [],
  });
};

const writer = { 'claude-code': claude, codex, crush: () => crushWriter(process.cwd()) }[family]();

for (const step of steps) {
  calls += 1;
  if (step.session !== undefined) writer.begin(step.session, step);
  if (step.continue !== undefined) writer.goOn(step.continue);
  if (step.user !== undefined) writer.rows('user', step.user);
  if (step.edit !== undefined) writer.rows('edit', step.edit, step.failed === true);
  if (step.run !== undefined) writer.rows('run', step.run[0], step.run[1]);
  if (step.say !== undefined) writer.rows('say', step.say);
  if (step.cost !== undefined) writer.rows('cost', step.cost);
  if (step.again) writer.again();
  if (step.truncate) writer.truncate();
  if (step.touch !== undefined) writeFileSync(step.touch, String(process.pid));
  while (step.await !== undefined && !existsSync(step.await)) await new Promise((resolve) => setTimeout(resolve, 20));
  if (step.sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, step.sleep));
  if (step.stay) await new Promise(() => setInterval(() => undefined, 1_000));
  if (step.exit !== undefined) process.exit(step.exit);
}
