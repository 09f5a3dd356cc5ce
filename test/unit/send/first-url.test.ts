import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstUrl } from '../../../workers/shard/send/compose/first-url.ts'

const URL_HERE = 'https://shop.example/o/1042'
const texts: readonly [text: string, url: string | undefined][] = [
  [`See ${URL_HERE} tomorrow`, URL_HERE],
  [`See ${URL_HERE}.`, URL_HERE],
  [`See ${URL_HERE}, please`, URL_HERE],
  [`Is it ${URL_HERE}?!`, URL_HERE],
  [`(see ${URL_HERE})`, URL_HERE],
  [`[${URL_HERE}].`, URL_HERE],
  [`*${URL_HERE}*`, URL_HERE],
  [`_*${URL_HERE}*_`, URL_HERE],
  [`<${URL_HERE}>`, URL_HERE],
  ['https://wiki.example/Mug_(cup)', 'https://wiki.example/Mug_(cup)'],
  ['(https://wiki.example/Mug_(cup))', 'https://wiki.example/Mug_(cup)'],
  ['https://shop.example/a_', 'https://shop.example/a_'],
  ['https://shop.example/?q=1&r=2#top', 'https://shop.example/?q=1&r=2#top'],
  ['first http://one.example, then https://two.example', 'http://one.example'],
  ['HTTPS://Shop.Example', 'HTTPS://Shop.Example'],
  [`https://ana:secret@shop.example then ${URL_HERE}`, URL_HERE],
  [`https://:secret@shop.example then ${URL_HERE}`, URL_HERE],
  [`https://secret@shop.example then ${URL_HERE}`, URL_HERE],
  [`https://... or ${URL_HERE}`, URL_HERE],
  [`https://shop.example/${'x'.repeat(3_000)} or ${URL_HERE}`, URL_HERE],
  ['shop.example without a scheme', undefined],
  ['', undefined],
]
for (const [text, url] of texts) test(`of ${JSON.stringify(text.slice(0, 60))}`, () => assert.equal(firstUrl(text), url))

test('a text made of brackets is read at once', () => {
  const before = performance.now()
  firstUrl(`https://shop.example/${')'.repeat(2_000)} `.repeat(32))
  assert.ok(performance.now() - before < 1_000)
})
