// A scripted stand-in for an agent client that speaks claude's stream-json. Its prompt is a JSON list of steps, carried out in
// order by this real process: {"line": {...}} prints a line, {"raw": "…"} prints text as it is, {"file": [path, text]} writes a
// file, {"edit": path} reports an edit of it, {"verify": [command, failed]} reports a test run, {"transcript": path} keeps one,
// as claude does, with an edit of it, {"result": text} ends with a result, {"sleep": ms}, {"await": path} waits until the file is
// there, {"spawn": "detached"} leaves a child behind, {"ignore": "SIGTERM"}, {"exit": code}.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const argv = process.argv.slice(2);
const session = argv[argv.indexOf('--session-id') + 1];
const steps = JSON.parse(argv.at(-1));
let calls = 0;

const print = (line) => process.stdout.write(`${JSON.stringify({ session_id: session, ...line })}\n`);

const tool = (name, input, text, failed) => {
  calls += 1;
  const id = `toolu_${calls}`;
  print({
    type: 'assistant',
    message: {
      id: `m${calls}`,
      model: 'scripted-1',
      content: [{ type: 'tool_use', id, name, input }],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
    parent_tool_use_id: null,
  });
  print({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: failed }] },
    parent_tool_use_id: null,
  });
};

const keepTranscript = (file_path) => {
  const directory = join(process.env.HOME, '.claude', 'projects', process.cwd().replaceAll(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(directory, { recursive: true });
  const row = { sessionId: session, cwd: process.cwd(), timestamp: new Date().toISOString(), isSidechain: false };
  const rows = [
    { type: 'assistant', message: { id: 'm', model: 'm', content: [{ type: 'tool_use', id: 't', name: 'Edit', input: { file_path } }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] } },
  ];
  writeFileSync(join(directory, `${session}.jsonl`), rows.map((each) => `${JSON.stringify({ ...row, ...each })}\n`).join(''));
};

const flush = () => new Promise((resolve) => process.stdout.write('', resolve));

for (const step of steps) {
  if (step.init !== undefined)
    print({ type: 'system', subtype: 'init', cwd: step.init === true ? process.cwd() : step.init, model: 'scripted-1', tools: [] });
  if (step.line !== undefined) print(step.line);
  if (step.raw !== undefined) process.stdout.write(step.raw);
  if (step.base64 !== undefined) process.stdout.write(Buffer.from(step.base64, 'base64'));
  if (step.repeat !== undefined) for (let i = 0; i < step.repeat[1]; i += 1) process.stdout.write(step.repeat[0]);
  if (step.stderr !== undefined) process.stderr.write(step.stderr);
  if (step.file !== undefined) {
    mkdirSync(dirname(step.file[0]), { recursive: true });
    writeFileSync(step.file[0], step.file[1]);
  }
  if (step.edit !== undefined) tool('Edit', { file_path: step.edit, old_string: 'a', new_string: 'b' }, 'updated', step.failed === true);
  if (step.transcript !== undefined) keepTranscript(step.transcript);
  if (step.verify !== undefined) tool('Bash', { command: step.verify[0] }, step.verify[1] ? 'Exit code 1' : 'ok', step.verify[1]);
  if (step.environment !== undefined) writeFileSync(step.environment, JSON.stringify(process.env));
  if (step.spawn === 'detached') {
    const child = spawn('setsid', ['sleep', '300'], { detached: true, stdio: 'ignore' });
    child.unref();
    if (step.pid !== undefined) writeFileSync(step.pid, String(child.pid));
  }
  if (step.ignore !== undefined) process.on(step.ignore, () => undefined);
  if (step.touch !== undefined) writeFileSync(step.touch, String(process.pid));
  while (step.await !== undefined && !existsSync(step.await)) await new Promise((resolve) => setTimeout(resolve, 20));
  if (step.sleep !== undefined) await new Promise((resolve) => setTimeout(resolve, step.sleep));
  if (step.result !== undefined)
    print({
      type: 'result',
      subtype: 'success',
      is_error: step.is_error === true,
      result: step.result,
      num_turns: step.turns ?? calls + 1,
      duration_ms: 5,
      total_cost_usd: 0.25,
      usage: { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 7, cache_creation_input_tokens: 3 },
      modelUsage:
        step.turns === 0
          ? {}
          : { 'scripted-1': { inputTokens: 100, outputTokens: 50, cacheReadInputTokens: 7, cacheCreationInputTokens: 3, costUSD: 0.25 } },
    });
  await flush();
  if (step.exit !== undefined) process.exit(step.exit);
}
