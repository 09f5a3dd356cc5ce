/**
 * Makes the pictures of README.md and docs/ from the real pages: npm run docs:pictures. It runs the tests in Chromium,
 * which take pictures of pages, and copies those that the documents show.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WANTED = {
  'dashboard-timeline': 'docs/dashboard.png',
  'pairing-passkey': 'docs/pictures/pairing-passkey.png',
  'extension-card': 'docs/pictures/extension-card.png',
  'by-hand-box': 'docs/pictures/by-hand-box.png',
}
const TESTS = ['.built/test/browser/dashboard.test.js', '.built/test/browser/passkey.test.js']

const taken = mkdtempSync(join(tmpdir(), 'svc-pictures-'))
try {
  const env = { ...process.env, SVC_TEST_FULL: '1', SVC_TEST_PICTURES: taken }
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...TESTS], { stdio: 'inherit', env })
  const missing = Object.keys(WANTED).filter((name) => !existsSync(join(taken, `${name}.png`)))
  if (missing.length > 0) process.stderr.write(`These pictures were not taken: ${missing.join(', ')}.\n`)
  for (const [name, file] of Object.entries(WANTED)) if (!missing.includes(name)) copyFileSync(join(taken, `${name}.png`), file)
  process.exitCode = missing.length > 0 ? 1 : (status ?? 1)
} finally {
  rmSync(taken, { recursive: true, force: true })
}
