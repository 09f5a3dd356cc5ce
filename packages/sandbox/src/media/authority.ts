import { generateKeyPair, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import forge from 'node-forge'

/** A private certificate authority. A client must trust it to connect to the media host. */
export interface Authority {
  certificate: string
  privateKey: string
}

export interface ServerCredentials {
  cert: string
  key: string
}

const CA_NAME = [{ name: 'commonName', value: 'svc sandbox media authority' }]
const CA_FILE = 'media-ca.pem'
const CA_KEY_FILE = 'media-ca.key.pem'

const DAY = 24 * 3600 * 1000
const BACKDATED = DAY
const CA_LIFE = 3650 * DAY
const SERVER_LIFE = 825 * DAY

/** Addresses in the certificate. `type` is the GeneralName tag of RFC 5280: 2 is a DNS name, and 7 an IP address. */
const SERVED_AT = [
  { type: 7, ip: '127.0.0.1' },
  { type: 7, ip: '::1' },
  { type: 2, value: 'localhost' },
  { type: 2, value: '*.whatsapp.net' },
]

const newRsaPair = promisify(generateKeyPair)
const pem = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const

/**
 * Opens the authority in `dir`. The first call creates it there, so that a client also trusts it after a restart.
 * Without `dir`, the authority is temporary.
 */
export async function openAuthority(dir: string | undefined): Promise<Authority> {
  if (dir === undefined) return newAuthority()
  const kept = await readAuthority(dir)
  if (kept) return kept
  const authority = await newAuthority()
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, CA_KEY_FILE), authority.privateKey, { mode: 0o600 })
  await chmod(join(dir, CA_KEY_FILE), 0o600)
  await writeFile(join(dir, CA_FILE), authority.certificate)
  return authority
}

async function readAuthority(dir: string): Promise<Authority | undefined> {
  try {
    const [certificate, privateKey] = await Promise.all([
      readFile(join(dir, CA_FILE), 'utf8'),
      readFile(join(dir, CA_KEY_FILE), 'utf8'),
    ])
    return { certificate, privateKey }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function newAuthority(): Promise<Authority> {
  const { publicKey, privateKey } = await newRsaPair('rsa', pem)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  setValidity(certificate, CA_LIFE)
  certificate.setSubject(CA_NAME)
  certificate.setIssuer(CA_NAME)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(certificate), privateKey }
}

export async function issueServerCertificate(authority: Authority): Promise<ServerCredentials> {
  const { publicKey, privateKey } = await newRsaPair('rsa', pem)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  setValidity(certificate, SERVER_LIFE)
  certificate.setSubject([{ name: 'commonName', value: 'svc sandbox media host' }])
  certificate.setIssuer(CA_NAME)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: SERVED_AT },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(authority.privateKey), forge.md.sha256.create())
  return { cert: forge.pki.certificateToPem(certificate), key: privateKey }
}

function setValidity(certificate: ReturnType<typeof forge.pki.createCertificate>, life: number): void {
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  certificate.validity = { notBefore: new Date(Date.now() - BACKDATED), notAfter: new Date(Date.now() + life) }
}
