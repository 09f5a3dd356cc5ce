import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found } from '../../../src/domain/word-search.ts'

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
