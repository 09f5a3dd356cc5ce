/**
 * Checks that each block of code in the documentation has a row in one of two tables: with the test that runs it, or
 * with the reason why no test does. Also checks that a test starts each file of `examples/`.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { ROOT, textOf } from '../../harness/checkout.ts'
import { samplesOf } from '../../harness/samples.ts'

const SYSTEMD = 'test/containers/systemd.test.ts'
const DOCKER = 'test/containers/docker.test.ts'
const NEWCOMER = 'test/e2e/newcomer.test.ts'
const CLONE = 'test/containers/fresh-clone.test.ts'
const GUIDE = 'test/e2e/guide-samples.test.ts'
const ROWS = 'test/e2e/moving/samples.test.ts'

/** Blocks of code that a test runs. Each row has a page, words that occur only in this block, and the test. */
const RUN: readonly (readonly [page: string, words: string, test: string])[] = [
  ['packages/client/README.md', 'waitMs: 30_000', 'test/e2e/client.test.ts'],
  ['packages/sandbox/README.md', 'startSandbox', 'test/e2e/sandbox-package.test.ts'],
  ['README.md', 'npm ci && npm start', CLONE],
  ['README.md', 'npm ci && npm run sandbox', CLONE],
  ['README.md', '$ADMIN', CLONE],
  ['README.md', "'prefer: wait=10'", NEWCOMER],
  ['README.md', '/webhooks', NEWCOMER],
  ['docs/pt/README.md', 'npm ci && npm start', CLONE],
  ['docs/pt/README.md', 'npm ci && npm run sandbox', CLONE],
  ['docs/pt/README.md', "'prefer: wait=10'", NEWCOMER],
  ['docs/pt/README.md', '/webhooks', NEWCOMER],
  ['docs/es/README.md', 'npm ci && npm start', CLONE],
  ['docs/es/README.md', 'npm ci && npm run sandbox', CLONE],
  ['docs/es/README.md', "'prefer: wait=10'", NEWCOMER],
  ['docs/es/README.md', '/webhooks', NEWCOMER],
  ['docs/agents.md', 'mcpServers', 'test/e2e/mcp.test.ts'],
  ['docs/coming-from.md', '/settings', 'test/e2e/dialect-zapi.test.ts'],
  ['docs/connect-links.md', '"instance_id"', 'test/e2e/connect-links.test.ts'],
  ['docs/licenses.md', 'package-lock.json', 'test/unit/service/licenses.test.ts'],
  ['docs/moving.md', 'auth --dry-run', 'test/e2e/moving/moves-in.test.ts'],
  ['docs/moving.md', '--name Support', 'test/e2e/moving/moves-in.test.ts'],
  ['docs/moving.md', '--from whatsmeow rows.jsonl', ROWS],
  ['docs/moving.md', '--from zapo rows.jsonl', ROWS],
  ['docs/moving.md', '--from waha rows.jsonl', ROWS],
  ['docs/moving.md', 'openwa.sqlite', ROWS],
  ['docs/moving.md', '--from evolution rows.jsonl', ROWS],
  ['docs/moving.md', '#>>', ROWS],
  ['docs/moving.md', '--from fazer rows.jsonl', ROWS],
  ['docs/moving.md', '--from svc instance.age', 'test/e2e/moving/archive.test.ts'],
  ['docs/moving.md', '--to baileys', 'test/e2e/moving/moves-out.test.ts'],
  ['docs/passkeys.md', 'parseRequestOptionsFromJSON', 'test/browser/passkey.test.ts'],
  ['docs/running.md', 'useradd', SYSTEMD],
  ['docs/running.md', 'upgrade.sh v1.1.0', SYSTEMD],
  ['docs/running.md', 'npm run cli -- help', SYSTEMD],
  ['docs/pt/running.md', 'store backup', SYSTEMD],
  ['docs/running.md', 'logs | head', DOCKER],
  ['docs/running.md', 'docker build', DOCKER],
  ['docs/running.md', 'export RELEASE=', DOCKER],
  ['docs/running.md', 'proxy_pass', GUIDE],
  ['docs/running.md', 'reverse_proxy', GUIDE],
  ['docs/webhooks.md', 'compose.n8n.yaml', DOCKER],
  ['docs/webhooks.md', '--types received', 'test/e2e/event-stream.test.ts'],
  ['packages/n8n-nodes-svc/README.md', 'On text', 'test/e2e/n8n.test.ts'],
  ['packages/n8n-nodes-svc/README.md', 'On vote', 'test/e2e/n8n.test.ts'],
]

const TRANSLATED = 'Each command is one of the English page, which samples.test.ts checks; the tests of that page run it.'

const COMPILED = 'test/e2e/client.test.ts compiles it in an empty project, and runs a program that makes the same calls.'

/**
 * Blocks of code that no test runs unchanged. Each row has a page, words that occur only in this block, and the reason.
 */
const NOT_RUN: readonly (readonly [page: string, words: string, reason: string])[] = [
  [
    'docs/connect-links.md',
    'addEventListener',
    'It names an example host. test/browser/connect.test.ts listens in the same way, and compares the messages.',
  ],
  [
    'CONTRIBUTING.md',
    'npm run test:unit',
    'A test cannot run the tests that it is part of. `.ci/run` runs the installation, the checks and all tests.',
  ],
  [
    'docs/kubernetes.md',
    'kubectl logs svc-0',
    'It needs a cluster. test/unit/deploy/chart.test.ts renders the chart with such values, and checks the result with the schemas of Kubernetes.',
  ],
  ['docs/kubernetes.md', '--set mode=cluster', 'It needs a cluster and a database. The same test renders this mode.'],
  ['docs/kubernetes.md', '--set mode=pair', 'It needs a cluster and a database. The same test renders this mode.'],
  [
    'docs/moving.md',
    'whatsapp.db --dry-run',
    'The oldest supported Node cannot read SQLite files; test/unit/portability reads them where Node can.',
  ],
  [
    'docs/moving.md',
    '--data-binary @whatsapp.db',
    'The same reason; test/e2e/moving/archive-route.test.ts sends files of other programs to this route.',
  ],
  [
    'docs/moving.md',
    'one-time keys: ',
    'It is a report, and no command. samples.test.ts compares its sentences with those of the command.',
  ],
  [
    'docs/object-storage.md',
    'minio.internal',
    'It names an example host. test/e2e/bucket.test.ts starts the service with these variables and a server of its own.',
  ],
  [
    'docs/object-storage.md',
    's3.example.com',
    'It names an example host. test/e2e/bucket.test.ts starts the service with these variables and a server of its own.',
  ],
  [
    'docs/postgresql.md',
    'openssl rand',
    'It names an example host. test/e2e/postgres.test.ts starts the service with both variables and a server of its own.',
  ],
  [
    'docs/cluster.md',
    'SVC_STANDBY=on',
    'It names an example host. test/faults/long/standby.test.ts starts two services with these variables and a server of its own.',
  ],
  [
    'docs/cluster.md',
    'SVC_CLUSTER=on',
    'It names an example host. test/e2e/cluster.test.ts starts two members with these variables and a server of its own.',
  ],
  [
    'docs/cluster.md',
    '/drain',
    'It names an example host. test/faults/long/handover.test.ts sends both requests to two services.',
  ],
  [
    'docs/postgresql.md',
    'store copy --to postgres://',
    'It names an example host. test/contract/store-copy.test.ts copies in this direction.',
  ],
  [
    'docs/postgresql.md',
    'store copy --to lmdb:',
    'It names a folder of the system. test/e2e/postgres.test.ts runs the command with a folder of its own.',
  ],
  [
    'docs/webhooks.md',
    'isGenuine',
    'It is a part of examples/receivers/node.mjs, which pages.test.ts checks; examples.test.ts runs that file.',
  ],
  ...['docs/pt/running.md', 'docs/es/running.md'].flatMap((page) =>
    ['useradd', 'logs | head', 'upgrade.sh v1.1.0'].map((words) => [page, words, TRANSLATED] as const),
  ),
  ['docs/es/running.md', 'store backup', TRANSLATED],
  [
    'packages/client/README.md',
    'npm install svc-client',
    'It is not published; test/e2e/client.test.ts installs the packed package.',
  ],
  ...['instance.events(', 'createWebhookHandler', 'forExpress', 'SvcError'].map(
    (words) => ['packages/client/README.md', words, COMPILED] as const,
  ),
  ['src/README.md', '──HTTP──▶', 'It is a drawing.'],
  ['packages/sandbox/CLIENTS.md', 'sandbox_url', 'It is an answer, and no command.'],
  [
    'packages/sandbox/CLIENTS.md',
    'buildConnector',
    'test/e2e/sandbox-package.test.ts connects Baileys with the options of the package.',
  ],
  ['packages/sandbox/CLIENTS.md', 'whatsmeow.WACertPubKey', 'whatsmeow and Go are not among the tools of the tests.'],
  ['packages/sandbox/CLIENTS.md', 'new WaClient', 'zapo is not among the packages of the tests.'],
  [
    'packages/sandbox/README.md',
    'npm install --save-dev',
    'It is not published; test/e2e/sandbox-package.test.ts installs the packed package.',
  ],
  ['packages/sandbox/README.md', 'npx svc-sandbox', 'It is not published; the same test runs the command of the packed package.'],
  [
    'wrangler-free.md',
    'SVC_DATA_DIR=/var/lib/svc npm start',
    'The folder belongs to the system; the systemd test runs a service with it.',
  ],
  [
    'wrangler-free.md',
    'npm prune --omit=dev',
    'deploy/upgrade.sh and the unit run these commands in the systemd test; deploy.test.ts compares the settings.',
  ],
]

const pages = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)

test('every block of code of a page is run by a test, or has a reason', () => {
  const rows = [...RUN, ...NOT_RUN]
  const blocks = pages.flatMap((page) => samplesOf(page).map((sample) => ({ page, ...sample })))
  assert.ok(blocks.length > 50, String(blocks.length))
  const matches = (page: string, words: string) => blocks.filter((block) => block.page === page && block.code.includes(words))
  const unknown = blocks.filter(({ page, code }) => !rows.some(([of, words]) => of === page && code.includes(words)))
  assert.deepEqual(
    unknown.map(({ place }) => place),
    [],
    'run these blocks in a test, or say why not',
  )
  const wrong = rows.filter(([page, words]) => matches(page, words).length !== 1)
  assert.deepEqual(
    wrong.map(([page, words]) => `${page}: ${matches(page, words).length} blocks with "${words}"`),
    [],
  )
})

test('each test that a row names takes the block from the page', () => {
  const wrong = RUN.filter(([page, words, file]) => ![page, words].every((text) => textOf(file).includes(text)))
  assert.deepEqual(
    wrong.map(([page, words, file]) => `${file} does not have "${page}" and "${words}"`),
    [],
  )
})

const EXAMPLES = ['test/e2e/examples.test.ts', 'test/unit/webhooks/example-receivers.test.ts'].map(textOf).join('\n')

test('a test starts every file of examples/', () => {
  const files = execFileSync('git', ['ls-files', '--', 'examples'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
  assert.ok(files.length > 6)
  assert.deepEqual(
    files.filter((file) => !EXAMPLES.includes(file) && !EXAMPLES.includes(`'${file.split('/').at(-1)}'`)),
    [],
  )
})
