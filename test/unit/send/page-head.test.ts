import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPageHead } from '../../../workers/shard/send/compose/page-head.ts'

const MB = 1_024 * 1_024
const HTML = 'text/html'

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const page = (head: string, title: string | Uint8Array) =>
  Buffer.concat([
    Buffer.from(`<!doctype html><html><head>${head}<title>`),
    Buffer.from(title),
    Buffer.from('</title></head><body>'),
  ])
const bytes = (hex: string) => Buffer.from(hex, 'hex')
const utf16 = (text: string) => Buffer.from(`\u{feff}${text}`, 'utf16le')
const charset = (label: string) => `<meta charset="${label}">`

const SHIFT_JIS = bytes('928d95b682cc8f8094f582aa82c582ab82dc82b582bd')
const WINDOWS_1252 = bytes('9350e36f94209620352080')
const PAGES: readonly [what: string, type: string, page: Uint8Array, title: string][] = [
  ['UTF-8 that nothing declares', HTML, page('', 'Pão é bom'), 'Pão é bom'],
  ['Shift JIS by its meta element', HTML, page(charset('shift_jis'), SHIFT_JIS), '注文の準備ができました'],
  ['Shift JIS under another name', HTML, page(charset(' X-SJIS '), SHIFT_JIS), '注文の準備ができました'],
  ['EUC-JP by its content type', 'text/html; charset=EUC-JP', page('', bytes('c3edcab8')), '注文'],
  ['ISO 8859-1, which is windows-1252 on the web', 'text/html;charset="iso-8859-1"', page('', WINDOWS_1252), '“Pão” – 5 €'],
  [
    'windows-1251 by http-equiv',
    HTML,
    page(`<META content='text/html; charset=windows-1251' HTTP-EQUIV='Content-type'>`, bytes('c7e0eae0e720e3eef2eee2')),
    'Заказ готов',
  ],
  ['KOI8-R', HTML, page(charset('koi8-r'), bytes('fac1cbc1da20c7cfd4cfd7')), 'Заказ готов'],
  ['GBK', HTML, page(charset('gb2312'), bytes('b6a9b5a5d2d1d7bcb1b8bac3')), '订单已准备好'],
  ['Big5', HTML, page(charset('big5'), bytes('ad71b3e6')), '訂單'],
  ['EUC-KR', 'text/html; charset=ks_c_5601-1987', page('', bytes('c1d6b9ae')), '주문'],
  [
    'an XML declaration',
    'application/xhtml+xml',
    Buffer.concat([Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>'), page('', bytes('50e36f'))]),
    'Pão',
  ],
  ['an XML declaration in a comment', HTML, page('<!--?xml version="1.0" encoding="ISO-8859-1"?-->', 'Pão'), 'Pão'],
  ['UTF-16 by its byte order mark', HTML, utf16('<html><head><title>Pão é bom</title></head><body>'), 'Pão é bom'],
  [
    'a byte order mark against the content type',
    'text/html; charset=iso-8859-1',
    Buffer.concat([bytes('efbbbf'), page('', 'Pão')]),
    'Pão',
  ],
  ['the content type against the meta element', 'text/html; charset=utf-8', page(charset('koi8-r'), 'Pão'), 'Pão'],
  ['a content type with an unknown charset', 'text/html; charset=none', page(charset('koi8-r'), bytes('fac1cbc1da')), 'Заказ'],
  ['an unknown charset', HTML, page(charset('klingon'), 'Pão'), 'Pão'],
  ['a meta element that claims UTF-16', HTML, page(charset('utf-16'), 'Pão'), 'Pão'],
  [
    'a declaration behind many scripts',
    HTML,
    page(`<script>${'x'.repeat(300_000)}</script>${charset('koi8-r')}`, bytes('fac1cbc1da')),
    'Заказ',
  ],
]
for (const [what, type, content, title] of PAGES)
  test(`the title is read from ${what}`, async () => {
    for (const size of content.length < 1_000 ? [1, 7, content.length] : [65_536])
      assert.deepEqual(await readPageHead(inPieces(content, size), type), { title, description: undefined })
  })

test('a title in front of the declaration of its charset is read again', async () => {
  const content = Buffer.concat([Buffer.from('<title>'), bytes('fac1cbc1da'), Buffer.from(`</title>${charset('koi8-r')}<body>`)])
  assert.equal((await readPageHead(inPieces(content, 9), HTML)).title, 'Заказ')
})

test('reading stops where the body begins, and after 1 MB', async () => {
  let read = 0
  async function* endless(start: Uint8Array) {
    yield start
    for (const filler = Buffer.alloc(65_536, 'x'); ; read += filler.length) yield filler
  }
  const { title } = await readPageHead(endless(page('', 'short')), HTML)
  assert.deepEqual([title, read], ['short', 0])
  const late = await readPageHead(endless(Buffer.from('<title>early</title><script>')), HTML)
  assert.equal(late.title, 'early')
  assert.ok(read <= MB + 65_536, `${read} bytes were read`)
})

test('Open Graph comes before the title, and nothing is found in the body', async () => {
  const og = '<meta property="og:title" content="Order 1042"><meta name="description" content=" Ready ">'
  assert.deepEqual(await readPageHead(inPieces(page(og, 'x'), 50), HTML), { title: 'Order 1042', description: 'Ready' })
  const late = Buffer.from('<body><title>no</title><meta property="og:title" content="no">')
  assert.deepEqual(await readPageHead(inPieces(late, 50), HTML), { title: undefined, description: undefined })
})
