import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../../harness/checkout.ts'

const FOLDER = new URL('../../../dashboard/', import.meta.url)
/** Largest total size of all loaded files, compressed, in bytes. */
const MOST_BYTES = 150_000

const files = ['index.html', ...readdirSync(new URL('assets/', FOLDER)).map((name) => `assets/${name}`)]
const textOf = (path: string) => readFileSync(new URL(path, FOLDER), 'utf8')

test('it is under 150 kB, compressed', () => {
  const bytes = files.map((path) => gzipSync(readFileSync(new URL(path, FOLDER))).length)
  const sum = bytes.reduce((total, each) => total + each, 0)
  assert.ok(sum < MOST_BYTES, `${sum} bytes`)
})

test('the page loads what lies beside it, and everything that lies there', () => {
  const html = textOf('index.html')
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, path]) => path!)
    .filter((path) => path.startsWith('assets/'))
  assert.deepEqual(loaded.sort(), files.slice(1).sort())
  for (const path of loaded) assert.match(path, /-[A-Za-z0-9_-]{8,}\.(js|css)$/)
})

test('no style or script stands in the page, and nothing names another origin', () => {
  const html = textOf('index.html')
  assert.doesNotMatch(html, /<style|style=|<script>|\son\w+=/)
  const [js, css] = [/\.js$/, /\.css$/].map((kind) => textOf(files.find((path) => kind.test(path))!))
  assert.doesNotMatch(css!, /@import|url\((?!["']?data:)/)
  const addresses = [...js!.matchAll(/https?:\/\/[a-z0-9.-]+/g)].map(([address]) => address)
  // The dashboard loads none of these URLs: XML namespaces, examples in fields, and a page that an owner opens by a
  // click.
  const isHarmless = (address: string) =>
    /^https?:\/\/(www\.w3\.org|example\.com|user|proxy\.example|web\.whatsapp\.com$)/.test(address)
  assert.deepEqual(
    addresses.filter((address) => !isHarmless(address)),
    [],
  )
})

test('text is only ever text: no source makes elements of it', () => {
  const folder = new URL('src/dashboard/', ROOT)
  const sources = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => /\.tsx?$/.test(path) && !path.startsWith('generated'))
  assert.ok(sources.length > 40)
  const making = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/i
  assert.deepEqual(
    sources.filter((path) => making.test(readFileSync(new URL(path, folder), 'utf8'))),
    [],
  )
})
