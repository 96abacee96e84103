// A directory that was deleted under its shell is no reason to fail: it is left before anything asks where it is.
try {
  process.cwd();
} catch {
  process.chdir('/');
}
