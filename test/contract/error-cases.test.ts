/**
 * Tests that each error code that an immediate operation declares has a case which produces it, or is in `NEVER`. Other
 * tests run most of the cases on the simulated network; only requests with a wrong field are tested here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode } from '../../src/domain/failures.ts'
import type { Endpoint } from '../../src/features/endpoint.ts'
import { CONTROL, INSTANCE } from '../../src/features/error-groups.ts'
import { parseInput } from '../../src/features/input.ts'
import { CASES } from '../e2e/error-cases.ts'
import { asked, asking, CODES, expected, READ_CODES, READ_LISTS } from '../e2e/network-codes.ts'
import { ABOUT } from '../e2e/not-there.ts'

/**
 * Error codes of the checks that every instance route makes before its operation.
 * `auth-order.test.ts`, `operations.test.ts` and `engine-supervision.test.ts` test them.
 */
const GATE: readonly FailureCode[] = [...INSTANCE, ...CONTROL, 'subscription_required']
/**
 * Error codes that depend on the state of the instance. Every action checks this state in the same way.
 * `states-answers.test.ts` tests these codes, and `network-codes.test.ts` tests a lost connection.
 */
const STATE: readonly FailureCode[] = ['instance_starting', 'instance_not_connected']

/** Error codes that operations declare although they never occur, with the reason. */
const NEVER: readonly (readonly [operations: readonly string[], codes: readonly FailureCode[], why: string])[] = [
  [['chats.list', 'contacts.list', 'labels.list'], ['action_failed', 'send_timeout'], 'answered from the directory'],
  [
    ['business.createCollection', 'business.updateCollection', 'business.deleteCollection'],
    ['invalid_phone'],
    'nobody is named: the contract has one line for all five operations',
  ],
]

function codeOf(endpoint: Endpoint, input: Record<string, unknown>): string | undefined {
  try {
    parseInput(endpoint, input)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error.code
  }
}

const NAMES = new Set(['phone', 'phones', 'group_id', 'groups', 'community_id', 'newsletter_id'])
const NOBODY = 'nobody!'

function wrong(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => wrong(each, name))
  if (typeof value !== 'object' || value === null) return NAMES.has(name) && typeof value === 'string' ? NOBODY : value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, wrong(each, field)]))
}

function byFields(endpoint: Endpoint): Set<string | undefined> {
  const examples = endpoint.examples.map(({ input }) => input ?? {})
  const optional = 'phone' in endpoint.fields ? [{ ...examples[0], phone: NOBODY }] : []
  const tried = [
    ...examples.map((input) => wrong(input) as Record<string, unknown>),
    ...optional,
    { ...examples[0], page_size: '0' },
  ]
  return new Set(tried.map((input) => codeOf(endpoint, input)))
}

function covered(endpoint: Endpoint): Set<string | undefined> {
  const { id, fields } = endpoint
  return new Set<string | undefined>([
    ...GATE,
    ...STATE,
    ...Object.keys(CODES).map((code) => expected(id, Number(code))),
    ...(READ_LISTS.includes(id) ? ['send_timeout', ...READ_CODES.map(([, code]) => code)] : []),
    ...(asking.includes(id) ? ['send_timeout'] : []),
    ...ABOUT.flatMap(({ field, code }) => (field in fields ? [code] : [])),
    ...CASES.flatMap(({ operation, code }) => (operation === id ? [code] : [])),
    ...byFields(endpoint),
  ])
}

const never = ({ id }: Endpoint) => NEVER.flatMap(([operations, codes]) => (operations.includes(id) ? codes : []))

/**
 * Error code of invalid bodies and queries. The HTTP layer refuses them in the same way for all operations, so it needs
 * no case for each operation.
 */
const OF_HTTP: FailureCode = 'invalid_request'

for (const endpoint of asked)
  test(`${endpoint.id}: each code that it declares is produced`, () => {
    const has = covered(endpoint)
    const none = never(endpoint)
    assert.deepEqual(
      endpoint.errors.filter((code) => code !== OF_HTTP && !has.has(code) && !none.includes(code)),
      [],
      'codes without a case: see test/e2e/error-cases.ts',
    )
    assert.deepEqual(
      none.filter((code) => has.has(code) || !endpoint.errors.includes(code)),
      [],
      'codes that have a case after all, or are not declared',
    )
  })

test('each case is of a code that its operation declares', () => {
  for (const { operation, code } of CASES) {
    const endpoint = asked.find(({ id }) => id === operation)
    assert.ok(endpoint?.errors.includes(code), `${operation} ${code}`)
  }
})
