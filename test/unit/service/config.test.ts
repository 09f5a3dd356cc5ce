import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import { parseRanges } from '../../../src/egress/addresses.ts'
import { judge } from '../../../src/egress/targets.ts'
import { backendOf } from '../../../src/storage/backends.ts'
import { ROOT } from '../../harness/checkout.ts'
import { filesIn } from '../../harness/deploy-files.ts'

const read = (env: Record<string, string>, sandbox = false) => readConfig({ env, sandbox, isTerminal: false })

test('with nothing set, every setting has its default', () => {
  const { config, warnings } = read({})
  assert.deepEqual(warnings, [])
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 8080)
  assert.equal(config.sandboxPort, 8081)
  assert.equal(config.storeUrl, `lmdb:${resolve('data', 'state')}`)
  assert.equal(config.instanceSlots, null)
  assert.deepEqual(config.network, { url: null, root: null, ca: null, mediaHost: null, verify: 'strict' })
  assert.ok(config.shards >= 1 && config.shards <= 4)
})

test('the store lies in the data folder unless it has a URL of its own', () => {
  assert.equal(read({ SVC_DATA_DIR: '/var/lib/svc' }).config.storeUrl, 'lmdb:/var/lib/svc/state')
  assert.equal(read({ SVC_STORE_URL: 'lmdb:/fast' }).config.storeUrl, 'lmdb:/fast')
})

test('the sandbox has a folder of its own inside the data folder', () => {
  const { config } = read({ SVC_DATA_DIR: '/var/lib/svc' }, true)
  assert.deepEqual([config.dataDir, config.storeUrl], ['/var/lib/svc/sandbox', 'lmdb:/var/lib/svc/sandbox/state'])
})

// An earlier bug: with the URL and the secret key of the service in its environment, the sandbox opened the real store.
// The simulated network refused each account in this store, so the accounts were logged out and lost their credentials.
test('the sandbox never opens the store of the service, whatever URL that has', async () => {
  const shownOf = async (url: string, sandbox: boolean) => (await backendOf(storeOf(url, sandbox))).shown
  const storeOf = (url: string, sandbox: boolean) =>
    read({ SVC_DATA_DIR: '/var/lib/svc', SVC_STORE_URL: url }, sandbox).config.storeUrl
  for (const url of ['lmdb:/fast', 'lmdb:fast', 'lmdb:/var/lib/svc/state', 'lmdb:/var/lib/svc/state/', 'lmdb:/var/lib/svc'])
    assert.notEqual(await shownOf(url, true), await shownOf(url, false), url)
  assert.equal(storeOf('lmdb:/fast', true), 'lmdb:/fast/sandbox')
  assert.equal(storeOf('lmdb:/var/lib/svc/state', true), 'lmdb:/var/lib/svc/sandbox/state')
})

test('a store in PostgreSQL has a schema of its own for the sandbox, and keeps media unless they have a folder', async () => {
  const url = 'postgres://svc:secret@db:5432/svc'
  const env = { SVC_DATA_DIR: '/var/lib/svc', SVC_STORE_URL: url }
  const stores = [false, true].map((sandbox) => read(env, sandbox).config.storeUrl)
  assert.deepEqual(await Promise.all(stores.map(async (each) => (await backendOf(each)).shown)), [
    'db:5432/svc, schema svc',
    'db:5432/svc, schema svc_sandbox',
  ])
  const folders = (more: Record<string, string | undefined>, sandbox: boolean) => {
    const { config } = read({ ...more, SVC_DATA_DIR: '/data' }, sandbox)
    return [config.blobs.in === 'files' ? config.blobs.dir : config.blobs.in, config.keysDir]
  }
  const named = { SVC_BLOBS_DIR: '/media', SVC_KEYS_DIR: '/keys' }
  assert.deepEqual(
    [folders(env, false), folders(env, true)],
    [
      ['store', null],
      ['store', null],
    ],
  )
  assert.deepEqual(
    [folders({}, false), folders({}, true)],
    [
      ['/data/blobs', null],
      ['/data/sandbox/blobs', null],
    ],
  )
  for (const store of [{}, { SVC_STORE_URL: url }]) {
    assert.deepEqual(folders({ ...store, ...named }, false), ['/media', '/keys'])
    assert.deepEqual(folders({ ...store, ...named }, true), ['/media/sandbox', '/keys/sandbox'])
  }
  // A sandbox that keeps nothing has its store in memory and not in the database, so its media are in a folder.
  assert.deepEqual(folders({ ...env, SVC_SANDBOX_KEEP: 'off' }, true), ['/data/sandbox/blobs', null])
})

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'hidden' }

test('a bucket for media is named by a URL and the variables of the tools of the cloud, and has a folder for the sandbox', () => {
  const blobsOf = (env: Record<string, string>, sandbox = false) => read({ ...CREDENTIALS, ...env }, sandbox).config.blobs
  const bucket = {
    name: 'media',
    prefix: '',
    region: 'us-east-1',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    credentials: { accessKeyId: 'key', secretAccessKey: 'hidden', sessionToken: undefined },
  }
  assert.deepEqual(blobsOf({ SVC_BLOBS_URL: 's3://media' }), { in: 'bucket', bucket })
  const elsewhere = { AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'token' }
  assert.deepEqual(blobsOf({ SVC_BLOBS_URL: 's3://media', ...elsewhere }), {
    in: 'bucket',
    bucket: {
      ...bucket,
      region: 'eu-west-1',
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      credentials: { ...bucket.credentials, sessionToken: 'token' },
    },
  })
  const url = `s3://media/a/b?endpoint=${encodeURIComponent('http://127.0.0.1:9000/')}&region=here`
  const own = { ...bucket, prefix: 'a/b/', region: 'here', endpoint: 'http://127.0.0.1:9000' }
  assert.deepEqual(blobsOf({ SVC_BLOBS_URL: url, ...elsewhere, AWS_SESSION_TOKEN: '' }), { in: 'bucket', bucket: own })
  assert.deepEqual(blobsOf({ SVC_BLOBS_URL: url }, true), { in: 'bucket', bucket: { ...own, prefix: 'a/b/sandbox/' } })
  const { mediaBucket, mediaDays } = read({ ...CREDENTIALS, SVC_MEDIA_URL: url, SVC_MEDIA_DAYS: '7' }, true).config
  assert.deepEqual([mediaBucket, mediaDays], [{ ...own, prefix: 'a/b/sandbox/' }, 7])
  const outside = `${url}&public_endpoint=${encodeURIComponent('https://media.example.com/')}`
  const { mediaBucket: shared } = read({ ...CREDENTIALS, SVC_MEDIA_URL: outside }).config
  assert.deepEqual([shared?.endpoint, shared?.publicEndpoint], ['http://127.0.0.1:9000', 'https://media.example.com'])
  assert.throws(() => read({ ...CREDENTIALS, SVC_BLOBS_URL: outside }), {
    message: /^SVC_BLOBS_URL has a public_endpoint; only SVC_MEDIA_URL/,
  })
  assert.deepEqual([read({}).config.mediaBucket, read({}).config.mediaDays], [null, 30])
  assert.throws(() => read({ SVC_BLOBS_URL: 's3://media', AWS_ACCESS_KEY_ID: 'key' }), {
    message: 'SVC_BLOBS_URL is set; it needs the credentials of the bucket in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  })
  assert.throws(() => read({ SVC_BLOBS_URL: 's3://media', SVC_BLOBS_DIR: '/media', ...CREDENTIALS }), {
    message: 'SVC_BLOBS_DIR and SVC_BLOBS_URL are both set; media of waiting messages have one place.',
  })
  assert.throws(() => read({ SVC_BLOBS_URL: 's3://media', AWS_REGION: 'a b', ...CREDENTIALS }), {
    message: 'AWS_REGION is "a b"; it must be the name of a region.',
  })
})

test('a password of the database is in no sentence', () => {
  for (const url of [
    'postgres://svc:secret@db:port/svc',
    'postgre://db/svc?user=svc&password=secret',
    'postgres://svc:a/secret@db:5432/svc',
    'postgres://svc:a/b@secret@db:5432/svc',
    'svc:secret@db:5432/svc',
    's3://svc:secret@db?endpoint=http://svc:secret@db',
  ])
    assert.throws(
      () => read({ SVC_STORE_URL: url }),
      ({ message }: Error) => /^SVC_STORE_URL is .* it must be lmdb:/.test(message) && !message.includes('secret'),
    )
})

test('lines of the log are for a program, on a terminal for a person, and as asked in any case', () => {
  const formatOf = (env: Record<string, string>, isTerminal: boolean) => readConfig({ env, isTerminal }).config.logging.format
  assert.deepEqual([formatOf({}, false), formatOf({}, true)], ['json', 'pretty'])
  assert.equal(formatOf({ SVC_LOG_FORMAT: 'json' }, true), 'json')
  assert.equal(formatOf({ SVC_LOG_FORMAT: 'pretty' }, false), 'pretty')
})

test('all bad values are told at once, one sentence and one line each', () => {
  const env = {
    SVC_PORT: 'http',
    SVC_SECRET_KEY: 'abc',
    SVC_STORE_URL: 'redis://127.0.0.1',
    SVC_NETWORK_CA: '/nowhere/ca.pem',
    SVC_BASE_URL: 'example.org',
    SVC_DOCS: 'on',
  }
  const bad = Object.keys(env).filter((name) => name !== 'SVC_DOCS')
  assert.throws(
    () => read(env),
    ({ message }: Error) => {
      const named = message.split('\n').map((line) => line.split(' ')[0])
      assert.deepEqual(named.sort(), bad.sort())
      return true
    },
  )
})

test('an empty variable is an unset one', () => {
  assert.equal(read({ SVC_PORT: '' }).config.port, 8080)
})

test('webhooks may reach loopback in the sandbox, and nothing private elsewhere, unless a list says otherwise', () => {
  assert.deepEqual(read({}, true).config.egressAllow, ['127.0.0.0/8', '::1/128'])
  assert.deepEqual(read({}).config.egressAllow, [])
  assert.deepEqual(read({ SVC_EGRESS_ALLOW: '10.0.0.0/8, ::1' }, true).config.egressAllow, ['10.0.0.0/8', '::1/128'])
})

test('the version of the web client is read as numbers', () => {
  assert.equal(read({}).config.webVersion, null)
  assert.deepEqual(read({ SVC_WEB_VERSION: '2.3000.1035194821' }).config.webVersion, [2, 3000, 1035194821])
})

test('a range written as IPv4-mapped IPv6 is the IPv4 range, as the addresses held against it are', () => {
  const { egressAllow } = read({ SVC_EGRESS_ALLOW: '::ffff:10.0.0.0/104,::ffff:192.168.7.7,10.1.2.3,fd00::/8,::1' }).config
  assert.deepEqual(egressAllow, ['10.0.0.0/8', '192.168.7.7/32', '10.1.2.3/32', 'fd00::/8', '::1/128'])
  assert.equal(judge('::ffff:10.9.9.9', parseRanges(egressAllow)), 'allowed')
})

test('the base URL has no slash at its end', () => {
  assert.equal(read({ SVC_BASE_URL: 'https://example.org/wa/' }).config.baseUrl, 'https://example.org/wa')
})

test('a variable that nobody reads is named in a warning, and other programs are left alone', () => {
  const { warnings } = read({ SVC_PROT: '1', PATH: '/bin' })
  assert.deepEqual(warnings, ['SVC_PROT is set, but no variable has this name; it is ignored.'])
})

const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')
const pagesOf = (folder: string) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|mjs|js|py|php|go)$/.test(name))
    .map((name) => `${folder}/${name}`)

test('a setting that is accepted is read by somebody', () => {
  const sources = readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
  const others = sources.filter((path) => path.endsWith('.ts') && !path.startsWith('config')).map((path) => textOf(`src/${path}`))
  const unread = Object.keys(read({}).config).filter((name) => !others.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
  assert.deepEqual(unread, [])
})

const PAGES = [
  'README.md',
  'wrangler-free.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...pagesOf('docs'),
  ...pagesOf('examples'),
  ...filesIn('deploy'),
]
const named = (page: string) => textOf(page).match(/\bSVC_[A-Z_]+[A-Z]\b/g) ?? []

test('a variable that a page names is one that is accepted', () => {
  const unknown = PAGES.flatMap(named).filter((name) => {
    try {
      return name !== 'SVC_URL' && read({ [name]: 'x' }).warnings.length > 0
    } catch {
      return false // The variable is known, and x is not a valid value.
    }
  })
  assert.deepEqual(unknown, [])
})

test('the page of the configuration has every variable', () => {
  const source = textOf('src/config-variables.ts')
  const declared = new Set(source.match(/\bSVC_[A-Z_]+[A-Z](?=: v\.)/g))
  const described = new Set(named('docs/configuration.md'))
  assert.ok(declared.size > 30, String(declared.size))
  // The tests of this repository use these variables. They are not settings of the service.
  assert.deepEqual(
    [...declared].filter((name) => !described.has(name) && !name.startsWith('SVC_TEST_')),
    [],
  )
})

describe('a bad variable ends the start with one sentence', () => {
  const bad: readonly [name: string, value: string, sentence: string][] = [
    ['SVC_PORT', 'http', 'SVC_PORT is "http"; it must be a whole number from 0 to 65535.'],
    ['SVC_PORT', '70000', 'SVC_PORT is "70000"; it must be a whole number from 0 to 65535.'],
    ['SVC_INSTANCE_SLOTS', '0', 'SVC_INSTANCE_SLOTS is "0"; it must be a whole number from 1 to 10000.'],
    ...['latest', '2.3000', '2.3000.1.2'].map((value): [string, string, string] => [
      'SVC_WEB_VERSION',
      value,
      `SVC_WEB_VERSION is "${value}"; it must be the version of a web client, for example 2.3000.1043857760.`,
    ]),
    ['SVC_STANDBY', 'on', 'SVC_STANDBY is "on"; it needs a store in PostgreSQL (SVC_STORE_URL), which two machines can use.'],
    [
      'SVC_STANDBY_ADDRESS',
      'node-b',
      'SVC_STANDBY_ADDRESS is set, and neither SVC_STANDBY nor SVC_CLUSTER is "on"; only the services of a pair or a cluster ask each other.',
    ],
    [
      'SVC_PEER_PORT',
      '8090',
      'SVC_PEER_PORT is set, and neither SVC_STANDBY nor SVC_CLUSTER is "on"; only the services of a pair or a cluster connect to each other.',
    ],
    ['SVC_NODE_NAME', 'node b', 'SVC_NODE_NAME is "node b"; it must be 1 to 63 letters, digits, dots, hyphens and underscores.'],
    ...['http://node-b', '0.0.0.0', ':8080', '[b:8080]', 'node-b:0', `${'n'.repeat(40)}`].map(
      (value): [string, string, string] => [
        'SVC_STANDBY_ADDRESS',
        value,
        `SVC_STANDBY_ADDRESS is "${value}"; it must be an IP address or a host name of at most 39 characters, alone or with a port: 10.0.0.2, [fd00::2]:8080 or node-b:8080.`,
      ],
    ),
    [
      'SVC_SECRET_KEY',
      'abc',
      'SVC_SECRET_KEY has a value that cannot be used; it must be 32 bytes, written as base64 or as 64 hex digits.',
    ],
    ...['redis://127.0.0.1', 'lmdb:', 'lmdb', 'toString:x'].map((value): [string, string, string] => [
      'SVC_STORE_URL',
      value,
      `SVC_STORE_URL is "${value}"; it must be lmdb:<directory> or postgres://<user>:<password>@<host>/<database>, the only kinds of store that the service accepts.`,
    ]),
    ...[
      '/media',
      's3://',
      's3://m',
      's3://media/../x',
      's3://media?endpoint=ftp://host',
      's3://media?endpoint=http://host/?a=b',
      's3://media?endpoint=http://key:word@host',
      's3://media?public_endpoint=//host',
      's3://media?public_endpoint=http://host/?a=b',
      's3://media?accelerate=on',
      's3://key:word@media',
    ].map((value): [string, string, string] => [
      'SVC_BLOBS_URL',
      value,
      `SVC_BLOBS_URL is "${value.replace('key:word', '…')}"; it must be s3://<bucket>/<prefix>?endpoint=<http or https URL>&region=<region>, in which only the bucket is required.`,
    ]),
    ['SVC_LOG_FORMAT', 'xml', 'SVC_LOG_FORMAT is "xml"; it must be pretty or json.'],
    ['SVC_DOCS', 'yes', 'SVC_DOCS is "yes"; it must be on or off.'],
    ['SVC_NETWORK_URL', 'http://127.0.0.1', 'SVC_NETWORK_URL is "http://127.0.0.1"; it must be a ws or wss URL.'],
    ['SVC_NETWORK_ROOT', 'c2hvcnQ=', 'SVC_NETWORK_ROOT is "c2hvcnQ="; it must be the base64 of a 32-byte public key.'],
    ...['/nowhere/ca.pem', tmpdir(), '/dev/null'].map((value): [string, string, string] => [
      'SVC_NETWORK_CA',
      value,
      `SVC_NETWORK_CA is "${value}"; it must be a PEM file that can be read, with a certificate in it.`,
    ]),
    ...['127.0.0.1', '127.0.0.1:65536'].map((value): [string, string, string] => [
      'SVC_NETWORK_MEDIA_HOST',
      value,
      `SVC_NETWORK_MEDIA_HOST is "${value}"; it must be a host and a port, for example 127.0.0.1:8443.`,
    ]),
    ['SVC_BASE_URL', 'example.org', 'SVC_BASE_URL is "example.org"; it must be an http or https URL.'],
    ...['https://gw.example.org/x?y=1', 'https://gw.example.org/x?', 'https://gw.example.org/#part'].map(
      (value): [string, string, string] => [
        'SVC_BASE_URL',
        value,
        `SVC_BASE_URL is "${value}"; it must be an http or https URL without user name, password, query or fragment.`,
      ],
    ),
    [
      'SVC_BASE_URL',
      'https://me:secret@gw.example.org',
      'SVC_BASE_URL is "https://…@gw.example.org"; it must be an http or https URL without user name, password, query or fragment.',
    ],
    ...['10.1', '10.1/16', '0x7f.0.0.1', '012.0.0.1', '::ffff:0:0/90', '10.0.0.0/8/8'].map((value): [string, string, string] => [
      'SVC_EGRESS_ALLOW',
      value,
      `SVC_EGRESS_ALLOW is "${value}"; it must be a comma-separated list of IP addresses or CIDR ranges.`,
    ]),
    ...[',', ' '].map((value): [string, string, string] => [
      'SVC_ADMIN_ALLOWED_IPS',
      value,
      `SVC_ADMIN_ALLOWED_IPS is "${value}"; it must be a comma-separated list of IP addresses or CIDR ranges.`,
    ]),
    [
      'SVC_TRUSTED_PROXIES',
      '10.0.0.0/40',
      'SVC_TRUSTED_PROXIES is "10.0.0.0/40"; it must be a comma-separated list of IP addresses or CIDR ranges.',
    ],
    [
      'SVC_ADMIN_KEY',
      'hunter2',
      'SVC_ADMIN_KEY has a value that cannot be used; it must be svc_admin_ and 48 lower-case hexadecimal digits.',
    ],
    [
      'SVC_METRICS_TOKEN',
      'two words',
      'SVC_METRICS_TOKEN has a value that cannot be used; it must be 1 to 200 visible ASCII characters.',
    ],
  ]
  for (const [name, value, sentence] of bad) {
    test(`${name}=${value}`, () => assert.throws(() => read({ [name]: value }), { message: sentence }))
  }
  test('two ports that are the same', () => {
    const message =
      'SVC_PEER_PORT and SVC_PORT are both 8080; callers and the other services of the store need a port of their own each.'
    assert.throws(() => read({ SVC_STANDBY: 'on', SVC_STORE_URL: 'postgres://db/svc', SVC_PEER_PORT: '8080' }), { message })
  })
  test('a member of a cluster without what it needs', () => {
    const member = {
      SVC_CLUSTER: 'on',
      SVC_STORE_URL: 'postgres://db/svc',
      SVC_PEER_PORT: '8090',
      SVC_BASE_URL: 'https://svc.example.com',
    }
    assert.equal(read(member).config.isCluster, true)
    const refused: readonly [change: Record<string, string>, message: string][] = [
      [
        { SVC_STANDBY: 'on' },
        'SVC_CLUSTER and SVC_STANDBY are both "on"; all services of a cluster are active, so none is a standby.',
      ],
      [
        { SVC_STORE_URL: '' },
        'SVC_CLUSTER is "on"; it needs a store in PostgreSQL (SVC_STORE_URL), which several machines can use.',
      ],
      [{ SVC_PEER_PORT: '' }, 'SVC_CLUSTER is "on"; it needs SVC_PEER_PORT, the port at which the other members reach this one.'],
      [{ SVC_BASE_URL: '' }, 'SVC_CLUSTER is "on"; it needs SVC_BASE_URL, the address at which callers reach all members.'],
    ]
    for (const [change, message] of refused) assert.throws(() => read({ ...member, ...change }), { message })
  })
})
