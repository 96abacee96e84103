// Adds up vitest's JSON reports into one closing line: `N passed, N failed, N skipped`. A report that is missing is a failure.
import { existsSync, readFileSync } from 'node:fs';

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    process.stderr.write(`no report of ${file}: its tests did not run\n`);
    totals.failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, 'utf8'));
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests + (report.numFailedTests === 0 ? report.numFailedTestSuites : 0);
  totals.skipped += report.numPendingTests + report.numTodoTests;
}
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
