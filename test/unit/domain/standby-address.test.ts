import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressText, isHost, parseStandbyAddress } from '../../../src/domain/standby-address.ts'

for (const [text, host, port] of [
  ['10.0.0.2', '10.0.0.2', undefined],
  ['10.0.0.255:8080', '10.0.0.255', 8080],
  ['fd00::2', 'fd00::2', undefined],
  ['FD00::A', 'FD00::A', undefined],
  ['::1', '::1', undefined],
  ['::ffff:10.0.0.2', '::ffff:10.0.0.2', undefined],
  ['[fd00::2]', 'fd00::2', undefined],
  ['[fd00::2]:8080', 'fd00::2', 8080],
  ['node-b:8080', 'node-b', 8080],
  ['a:8080', 'a', 8080],
  ['b:8080', 'b', 8080],
  ['db:8080', 'db', 8080],
  ['cafe:9090', 'cafe', 9090],
  ['10.example:65535', '10.example', 65_535],
] as const)
  test(`${text} is the host ${host}`, () => {
    assert.deepEqual(parseStandbyAddress(text), { host, port })
    if (port !== undefined) assert.equal(addressText({ host, port }), text)
  })

for (const text of [
  ...[
    '',
    ':',
    ':8080',
    '1:2',
    '1',
    '[b:8080]',
    '[b:8080]:80',
    '[10.0.0.2]',
    '[node-b]',
    'fd00::2::3',
    'fe80::1%eth0',
    '::1]:80/[',
  ],
  ...['10.0.0.256', '10.0.0', '10.0.0.2.', '10.0.0.2.3', '10.00.0.2', '10.0.0.256:80'],
  ...['0.0.0.0', '0.0.0.0:8080', '::', '[::]:8080', '0:0:0:0:0:0:0:0', '::0.0.0.0', '::ffff:0.0.0.0'],
  ...['node b', 'node-', 'http://node-b', 'node-b:0', 'node-b:65536', 'n'.repeat(40)],
])
  test(`"${text}" is no address of a standby`, () => {
    assert.equal(parseStandbyAddress(text), undefined)
    assert.equal(isHost(text), false)
  })
