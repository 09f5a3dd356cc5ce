import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, narrowed } from '../../../src/domain/word-search.ts'

const NAMES = ['Text message', 'Voz ou áudio, mensagem', 'Voice or audio message', 'Loja 12', 'Loja 2']
const search = (wanted: string) => found(NAMES, wanted, (name) => name)

test('a search by words ignores their order, case and accents', () => {
  assert.deepEqual(search('MESSAGE voice'), ['Voice or audio message'])
  assert.deepEqual(search('audio'), ['Voz ou áudio, mensagem', 'Voice or audio message'])
  assert.deepEqual(search('ÁUDIO mensagem'), ['Voz ou áudio, mensagem'])
  assert.deepEqual(search('  '), NAMES)
  assert.deepEqual(search('walrus'), [])
})

test('short words count only as long as something contains them', () => {
  assert.deepEqual(search('loja 12'), ['Loja 12'])
  assert.deepEqual(search('mensagem de voz'), ['Voz ou áudio, mensagem'])
  assert.deepEqual(search('de'), [])
})

test('a number is never ignored', () => {
  assert.deepEqual(search('loja 99'), [])
  assert.deepEqual(search('loja de 12'), ['Loja 12'])
})

const options = (count: number) => Array.from({ length: count }, (_, at) => [`${at + 1}`, `Shop ${at + 1}`] as const)
const textOf = ([, text]: readonly [string, string]) => text

test('a long list shows what a search finds, and says whether the chosen option is among it', () => {
  const found = narrowed(options(12), 'shop 12', '1', textOf)
  assert.deepEqual(found, { hasField: true, isMissed: true, shown: [['12', 'Shop 12']] })
  assert.equal(narrowed(options(12), 'shop 12', '12', textOf).isMissed, false)
  assert.deepEqual(narrowed(options(12), ' ', '1', textOf), { hasField: true, isMissed: false, shown: options(12) })
})

test('a list that became short ignores the text of its former field', () => {
  assert.deepEqual(narrowed(options(11), 'walrus', '1', textOf), { hasField: false, isMissed: false, shown: options(11) })
})
