import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from '../../../src/domain/language.ts'

test('the first language of a person that the pages have is chosen, otherwise English', () => {
  assert.equal(languageOf(['pt-BR', 'en']), 'pt')
  assert.equal(languageOf(['de-DE', 'es-419', 'en']), 'es')
  assert.equal(languageOf(['de', 'fr']), 'en')
  assert.equal(languageOf([]), 'en')
})
