import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesIn, textOf, yamlOf } from '../../harness/deploy-files.ts'
import { credentialsIn } from '../../harness/secrets.ts'

interface Locked {
  version: string
  dev?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  hasInstallScript?: boolean
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> }
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * Beginning of the names of the compiler's packages. They are installed while the image is built, and are not in the
 * image.
 */
const COMPILER = '@typescript/'

/**
 * Returns the names and versions of the native packages for Linux with glibc that package-lock.json has for this
 * processor. In the names, `<cpu>` stands for the name of the processor.
 */
const nativeParts = (cpu: string): string[] =>
  Object.entries(packages)
    .filter(([path]) => !nameOf(path).startsWith(COMPILER))
    .filter(
      ([, { dev, os, cpu: cpus, libc }]) =>
        !dev && os?.includes('linux') && cpus?.includes(cpu) && (libc ?? ['glibc']).includes('glibc'),
    )
    .map(([path, { version }]) => `${nameOf(path).replace(cpu, '<cpu>')} ${version}`)
    .toSorted()

test('every native part is there for both kinds of machines, and deploy/README.md lists it', () => {
  const parts = nativeParts('x64')
  assert.deepEqual(nativeParts('arm64'), parts)
  const rows = [...textOf('deploy/README.md').matchAll(/^\| `(@[^`]*<cpu>[^`]*)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(
    rows.toSorted(),
    parts.map((part) => part.split(' ')[0]),
  )
})

test('nothing is compiled during the installation, so no other native part can be missing', () => {
  assert.match(textOf('.npmrc'), /^ignore-scripts=true$/m)
  assert.match(textOf('deploy/Dockerfile'), /^COPY .*\.npmrc/m)
})

test('the workflow builds the image on a machine of each kind, starts it, and publishes nothing', () => {
  const path = '.github/workflows/image.yml'
  const { jobs, permissions } = yamlOf<{
    permissions: Record<string, string>
    jobs: { image: { strategy: { matrix: { include: { arch: string }[] } }; steps: { run?: string; uses?: string }[] } }
  }>(path)
  const { strategy, steps } = jobs.image
  assert.deepEqual(
    strategy.matrix.include.map(({ arch }) => arch),
    ['amd64', 'arm64'],
  )
  assert.deepEqual(permissions, { contents: 'read' })
  const commands = steps.flatMap(({ run = [] }) => run).join('\n')
  assert.match(commands, /docker build .*-f deploy\/Dockerfile/)
  assert.match(commands, /\/health\/ready/)
  assert.doesNotMatch(textOf(path), /docker push|docker login|secrets\./)
})

test('no file of a deployment has the tag latest, or a secret', () => {
  const files = filesIn('deploy', '.github/workflows', 'test/deploy')
  assert.ok(files.length > 15, String(files.length))
  for (const file of files) {
    const text = textOf(file)
    assert.deepEqual(credentialsIn(text), [], file)
    assert.doesNotMatch(text, /PRIVATE KEY|AKIA[0-9A-Z]{16}|:\/\/[^\s/:@]+:(?!\$\{)[^\s/@]+@/, file)
    assert.doesNotMatch(text, /[:-]latest\b/, file)
    for (const [, image = ''] of text.matchAll(/^\s*image: (\S+)$/gm)) assert.match(image, /:\S+$|^\{\{/, `${file}: ${image}`)
  }
})
