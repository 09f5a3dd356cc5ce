/**
 * Checks the Compose files with the schema of the Compose specification. `test/deploy/README.md` says where the schema
 * is from.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { filesIn, textOf } from '../../harness/deploy-files.ts'

// Ajv knows this version of the schema language only under its `http:` address, so `$schema` is left out.
const { $schema: _, ...schema } = JSON.parse(textOf('test/deploy/compose-spec.json'))
const validate = new Ajv({ allErrors: true, strict: false }).compile(schema)

/** Replaces variables as Compose does: each gets its default value, or `value` if it has none. */
const interpolated = (text: string) =>
  text
    .replace(/\$\{\w+(?:(?::?-)([^}]*)|:?\?[^}]*)?\}/g, (_all, otherwise?: string) => otherwise ?? 'value')
    .replaceAll('$$', '$')

const problemsOf = (text: string): string[] => {
  validate(parse(interpolated(text), { merge: true }))
  return (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `${instancePath} ${keyword} ${JSON.stringify(params)}`,
  )
}

const files = filesIn('deploy/compose*.yaml')

test('each Compose file is valid', () => {
  const names = ['cluster', 'n8n', 'pair'].map((name) => `deploy/compose.${name}.yaml`)
  assert.deepEqual(files, [...names, 'deploy/compose.yaml'])
  for (const file of files) assert.deepEqual(problemsOf(textOf(file)), [], file)
})

test('a key that Compose does not know, a value of a wrong type, and an unknown condition are found', () => {
  const service = (line: string) => `services:\n  svc:\n    image: svc\n    ${line}\n`
  assert.deepEqual(problemsOf(service('init: true')), [])
  for (const [line, problem] of [
    ['restarts: always', '/services/svc additionalProperties'],
    ['read_only: [1]', '/services/svc/read_only type'],
    ['depends_on: { db: { condition: ready } }', '/services/svc/depends_on/db/condition enum'],
  ] as const)
    assert.ok(
      problemsOf(service(line)).some((found) => found.startsWith(problem)),
      `${line}: ${problemsOf(service(line))}`,
    )
})

test('no Compose file has an image without a version, or the tag latest', () => {
  for (const file of files)
    for (const [, image = ''] of textOf(file).matchAll(/^ *image: (.+)$/gm))
      assert.ok(/:(?!latest\b)[^/]+$/.test(image), `${file}: ${image}`)
})
