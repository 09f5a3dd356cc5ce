declare module 'node-forge' {
  interface Key {
    readonly forgeKey: unique symbol
  }
  interface Attribute {
    name: string
    value: string
  }
  interface Extension {
    name: string
    critical?: boolean
    [option: string]: unknown
  }
  interface Certificate {
    serialNumber: string
    publicKey: Key
    validity: { notBefore: Date; notAfter: Date }
    setSubject(attributes: Attribute[]): void
    setIssuer(attributes: Attribute[]): void
    setExtensions(extensions: Extension[]): void
    sign(key: Key, digest: unknown): void
  }
  const forge: {
    pki: {
      createCertificate(): Certificate
      publicKeyFromPem(pem: string): Key
      privateKeyFromPem(pem: string): Key
      certificateToPem(certificate: Certificate): string
    }
    md: { sha256: { create(): unknown } }
  }
  export = forge
}
