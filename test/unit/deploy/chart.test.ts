import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { endpoints } from '../../../src/features/index.ts'
import { type Manifest, noHelm, problemsOf, rendered, textOf, yamlOf } from '../../harness/deploy-files.ts'

const image = { repository: 'registry.example.com/svc' }
const BASE_URL = { SVC_BASE_URL: 'https://gw.example.com' }
const SHARED = { image, existingSecret: 'gateway', settings: BASE_URL }

const dockerfile = textOf('deploy/Dockerfile')
const only = (manifests: readonly Manifest[], kind: string, isWanted: (manifest: Manifest) => boolean = () => true) => {
  const [found, ...others] = manifests.filter((each) => each.kind === kind && isWanted(each))
  assert.ok(found && others.length === 0, `one ${kind}`)
  return found
}
const isHeadless = ({ spec }: Manifest) => spec.clusterIP === 'None'
const containerOf = (manifest: Manifest) => manifest.spec.template.spec.containers[0]
const envOf = (manifest: Manifest) =>
  new Map<string, unknown>(containerOf(manifest).env.map(({ name, ...from }: { name: string }) => [name, from]))

/**
 * Returns the seconds within which the service stops: SVC_SHUTDOWN_SECONDS of the pod, or else the default of the
 * service.
 */
function stopSecondsOf(manifest: Manifest): number {
  const { value } = (containerOf(manifest).env === undefined ? {} : (envOf(manifest).get('SVC_SHUTDOWN_SECONDS') ?? {})) as {
    value?: string
  }
  return Number(value ?? /SVC_SHUTDOWN_SECONDS` \| `(\d+)`/.exec(textOf('docs/configuration.md'))![1])
}

function checkShared(manifest: Manifest) {
  const { readinessProbe, startupProbe, ports } = containerOf(manifest)
  assert.deepEqual([readinessProbe.httpGet.path, startupProbe.httpGet.path], ['/health/ready', '/health/live'])
  const env = envOf(manifest)
  assert.deepEqual(env.get('SVC_STANDBY_ADDRESS'), { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } })
  assert.deepEqual(env.get('SVC_PEER_PORT'), { value: '8090' })
  assert.equal(ports.find(({ name }: { name: string }) => name === 'peer').containerPort, 8090)
  for (const key of ['SVC_STORE_URL', 'SVC_SECRET_KEY', 'SVC_ADMIN_KEY'])
    assert.deepEqual(env.get(key), { valueFrom: { secretKeyRef: { name: 'gateway', key } } })
}

test('the chart has the version of the service', () => {
  const { version } = JSON.parse(textOf('package.json'))
  const { version: chart, appVersion } = yamlOf<Record<string, string>>('deploy/helm/svc/Chart.yaml')
  assert.deepEqual([chart, appVersion], [version, version])
})

describe('the rendered chart', { skip: noHelm }, () => {
  /**
   * Objects that Helm renders, by mode. They are rendered only once, because each start of Helm takes a tenth of a
   * second.
   */
  const modes = { oneNode: [] as Manifest[], cluster: [] as Manifest[], pair: [] as Manifest[] }
  before(() => {
    modes.oneNode = rendered({ image })
    modes.cluster = rendered({ ...SHARED, mode: 'cluster', replicas: 5 }, 'gw')
    modes.pair = rendered({ ...SHARED, mode: 'pair' }, 'gw')
  })

  for (const [mode, kind, kinds] of [
    ['oneNode', 'StatefulSet', ['PodDisruptionBudget', 'Service', 'StatefulSet']],
    ['cluster', 'StatefulSet', ['PodDisruptionBudget', 'Service', 'Service', 'StatefulSet']],
    ['pair', 'Deployment', ['Deployment', 'Service']],
  ] as const)
    test(`${mode}: it is valid, and the pod fits the image and the service`, async () => {
      const manifests = modes[mode]
      assert.deepEqual(manifests.map(({ kind }) => kind).toSorted(), kinds)
      for (const manifest of manifests) assert.deepEqual(await problemsOf(manifest), [], manifest.kind)
      const owner = only(manifests, kind)
      const pod = owner.spec.template
      const container = containerOf(owner)
      for (const { selector } of manifests.map(({ spec }) => spec))
        for (const [label, value] of Object.entries(selector.matchLabels ?? selector))
          assert.equal(pod.metadata.labels[label], value, label)

      // If service links were enabled, Kubernetes would set SVC_PORT to a URL for a Service with the name svc. Then the
      // service would not start.
      assert.equal(pod.spec.enableServiceLinks, false)
      const [{ name, containerPort }] = container.ports
      assert.ok(dockerfile.includes(`\nEXPOSE ${containerPort}\n`) && dockerfile.includes(`SVC_PORT=${containerPort}`))
      for (const service of manifests.filter(({ kind }) => kind === 'Service'))
        for (const { targetPort } of service.spec.ports)
          assert.ok(
            container.ports.some((each: { name: string }) => each.name === targetPort),
            targetPort,
          )
      assert.equal(only(manifests, 'Service', (each) => !isHeadless(each)).spec.ports[0].targetPort, name)
      const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => container[probe].httpGet)
      for (const { path, port } of paths) assert.ok(port === name && endpoints.some((each) => each.path === path), path)
      assert.ok(
        container.volumeMounts.some(({ mountPath }: { mountPath: string }) => dockerfile.includes(`VOLUME ${mountPath}\n`)),
      )

      const drainSeconds = Number(container.lifecycle?.preStop.exec.command[1] ?? 0)
      // A service of a cluster or a pair still answers for some seconds when it stops, so only a single node needs a
      // pause before the stop.
      assert.equal(drainSeconds > 0, mode === 'oneNode')
      const most = drainSeconds + stopSecondsOf(owner)
      assert.ok(pod.spec.terminationGracePeriodSeconds > most + 1, 'the stop is never interrupted')
      assert.equal(container.image, `${image.repository}:${JSON.parse(textOf('package.json')).version}`)
    })

  test('a field of a wrong type, and one that Kubernetes does not know, are noticed', async () => {
    const owner = structuredClone(only(modes.oneNode, 'StatefulSet'))
    Object.assign(owner.spec.template.spec, { gracePeriod: 3 })
    assert.deepEqual(await problemsOf(owner), ['/spec/template/spec/gracePeriod'])
    owner.spec.replicas = 'one'
    assert.ok((await problemsOf(owner)).includes('/spec/replicas type'))
  })

  test('one node has a volume that no second pod uses, and a drain of its machine waits for a person', () => {
    const manifests = modes.oneNode
    const { spec } = only(manifests, 'StatefulSet')
    assert.equal(spec.replicas, 1)
    assert.deepEqual(spec.volumeClaimTemplates[0].spec.accessModes, ['ReadWriteOnce'])
    assert.equal(only(manifests, 'PodDisruptionBudget').spec.maxUnavailable, 0)
    assert.equal(containerOf(only(manifests, 'StatefulSet')).startupProbe.httpGet.path, '/health/ready')
  })

  test('a cluster has members with names that stay, which an update replaces one by one after they have given all away', () => {
    const owner = only(modes.cluster, 'StatefulSet')
    const { spec } = owner
    assert.deepEqual([spec.replicas, spec.updateStrategy, spec.volumeClaimTemplates], [5, { type: 'RollingUpdate' }, undefined])
    const members = only(modes.cluster, 'Service', isHeadless)
    assert.equal(spec.serviceName, members.metadata.name)
    // The address of a member must also be published while the member starts or stops.
    assert.equal(members.spec.publishNotReadyAddresses, true)
    assert.equal(only(modes.cluster, 'PodDisruptionBudget').spec.maxUnavailable, 1)
    const [{ podAffinityTerm: apart }] =
      spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution
    assert.equal(apart.topologyKey, 'kubernetes.io/hostname')
    assert.deepEqual(envOf(owner).get('SVC_CLUSTER'), { value: 'on' })
    assert.equal(envOf(owner).has('SVC_STANDBY'), false)
    assert.equal(stopSecondsOf(owner), 60)
    checkShared(owner)
  })

  test('the grace period follows the time of a stop that the operator sets', () => {
    const settings = { ...BASE_URL, SVC_SHUTDOWN_SECONDS: '200' }
    const { spec } = only(rendered({ ...SHARED, mode: 'cluster', settings }), 'StatefulSet')
    assert.ok(spec.template.spec.terminationGracePeriodSeconds > 201)
    const given = only(rendered({ image, terminationGracePeriodSeconds: 17 }), 'StatefulSet')
    assert.equal(given.spec.template.spec.terminationGracePeriodSeconds, 17)
  })

  test('a pair is two services of one release on two machines, and the standby passes requests on to the active one', () => {
    const owner = only(modes.pair, 'Deployment')
    const { spec } = owner
    assert.deepEqual([spec.replicas, spec.strategy], [2, { type: 'Recreate' }])
    const [apart] = spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution
    assert.deepEqual(
      [apart.topologyKey, apart.labelSelector.matchLabels['app.kubernetes.io/instance']],
      ['kubernetes.io/hostname', 'gw'],
    )
    assert.deepEqual(envOf(owner).get('SVC_STANDBY'), { value: 'on' })
    assert.equal(envOf(owner).has('SVC_CLUSTER'), false)
    checkShared(owner)
  })

  test('values that cannot work, or that would show a secret, are refused by their names', () => {
    const refused = (values: Record<string, unknown>, names: readonly RegExp[]) =>
      assert.throws(
        () => rendered(values),
        ({ message }) => names.every((name) => name.test(message)),
      )
    refused({ image: { tag: 'latest' }, settings: { SVC_ADMIN_KEY: 'x', SVC_CLUSTER: 'on' }, replicas: 1, postgres: true }, [
      /repository/,
      /tag/,
      /SVC_ADMIN_KEY/,
      /SVC_CLUSTER/,
      /replicas/,
      /postgres/,
    ])
    for (const mode of ['cluster', 'pair'])
      refused({ image, mode, settings: { SVC_BLOBS_DIR: '/data/blobs' } }, [/existingSecret/, /SVC_BASE_URL/, /SVC_BLOBS_DIR/])
    refused({ ...SHARED, mode: 'cluster', terminationGracePeriodSeconds: 30 }, [/terminationGracePeriodSeconds/, /more than 61/])
    refused({ image, terminationGracePeriodSeconds: 16 }, [/terminationGracePeriodSeconds/, /more than 16/])
  })
})
