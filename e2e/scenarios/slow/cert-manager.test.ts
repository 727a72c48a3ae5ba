import { X509Certificate } from 'node:crypto'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createObject } from '../../cluster/create-object.ts'
import { installRelease, NAMESPACE, type Release } from '../../cluster/release.ts'
import { pausePod, runCheck, type TestCluster } from '../../cluster/test-cluster.ts'
import { bundle, type CertificateObject, issueAsCertManager } from '../../real-scheduler/cert-manager.ts'
import { createAuthority, type TestAuthority } from '../../real-scheduler/certificates.ts'

/** The kubelet copies a changed Secret into its pods within a minute or two, and each test waits for that several times. */
const WAIT_MS = 300_000
const GROUP = 'cert-manager.io'
const certificatesRef = {
  ...resourceRefs.configMaps,
  group: GROUP,
  plural: 'certificates',
  kind: 'Certificate',
} as const
const schedulerName = 'berth-kube-scheduler'
const DEPLOYMENT = 'deployment/berth-extender'
const values = { extender: { tls: { mode: 'cert-manager' }, config: { bind: true, maxConnectionAgeSeconds: 2 } } }

/** Creates the kinds of cert-manager, which has no image here: the test does what its controller does. */
async function createKinds(testCluster: TestCluster): Promise<void> {
  for (const [plural, kind] of [
    ['certificates', 'Certificate'],
    ['issuers', 'Issuer'],
  ] as const) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const spec = {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    }
    const name = `${plural}.${GROUP}`
    await createObject(testCluster, 'CustomResourceDefinition', name, { apiVersion: 'apiextensions.k8s.io/v1', spec })
    await testCluster.kubectl('wait', '--for=condition=Established', `crd/${name}`, '--timeout=60s')
  }
}

async function listCertificates(client: ApiClient): Promise<readonly CertificateObject[]> {
  return (await client.list<CertificateObject>(certificatesRef, { namespace: NAMESPACE })).items
}

/** Issues the certificates as soon as the chart asks for all of them: those of the server, of the client and of the authority. */
async function issueForInstallation(testCluster: TestCluster, issuer: TestAuthority): Promise<void> {
  const certificates = await testCluster.until('the Certificates of the chart', async () => {
    const found = await listCertificates(testCluster.client)
    return found.length === 3 ? found : undefined
  })
  await issueAsCertManager(testCluster.client, NAMESPACE, certificates, { issuer, ca: issuer.ca })
}

/** Places a pod through the extender. */
async function place(testCluster: TestCluster): Promise<void> {
  const name = testCluster.uniqueName(`placed-${placed.length}`)
  placed.push(name)
  await testCluster.createPod(pausePod(name, {}, { schedulerName }))
  await testCluster.untilRunning(name)
  await testCluster.deletePod(name)
}
const placed: string[] = []

/** Returns the pods of the extender, as `pod/NAME`. */
async function listPods(testCluster: TestCluster): Promise<readonly string[]> {
  const pods = await testCluster.kubectl('get', 'pods', '--namespace', NAMESPACE, '--output', 'name')
  return pods.split('\n').filter((line) => line.includes('berth-extender'))
}

/** Returns when a certificate expires, in seconds, as the metrics of the extender tell. */
async function readExpiry(testCluster: TestCluster, certificate: string): Promise<number> {
  const [pod = ''] = await listPods(testCluster)
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod.replace('pod/', '')}:9403/proxy/metrics`
  const metrics = await testCluster.kubectl('get', '--raw', path)
  const line = `berth_extender_certificate_expiry_timestamp_seconds{certificate="${certificate}"} `
  return Number(
    metrics
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.slice(line.length),
  )
}

/** Replaces the Secrets, and waits until the extender and kube-scheduler use the new certificates. */
async function renew(testCluster: TestCluster, issuer: TestAuthority, ca: string): Promise<void> {
  const certificates = await listCertificates(testCluster.client)
  const issued = await issueAsCertManager(testCluster.client, NAMESPACE, certificates, { issuer, ca })
  for (const use of ['server', 'client'] as const) {
    const expiry = new X509Certificate(issued[use]).validToDate.getTime() / 1_000
    await testCluster.until(`the new certificate of the ${use} to be used`, async () => {
      await place(testCluster)
      return (await readExpiry(testCluster, use)) === expiry ? true : undefined
    })
  }
}

async function restart(testCluster: TestCluster): Promise<void> {
  await testCluster.kubectl('rollout', 'restart', DEPLOYMENT, '--namespace', NAMESPACE)
  await testCluster.kubectl('rollout', 'status', DEPLOYMENT, '--namespace', NAMESPACE, '--timeout=180s')
  await testCluster.until('only the new pod to be left', async () =>
    (await listPods(testCluster)).length === 1 ? true : undefined,
  )
}

describe('certificates of cert-manager', () => {
  let authorities: readonly TestAuthority[] = []
  let release: Release | undefined

  beforeAll(async () => {
    authorities = await Promise.all(['first', 'second', 'third'].map((name) => createAuthority(name)))
  })
  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
  })

  test('renewed Secrets and, after a restart, another authority are used; without the restart it is refused', async () => {
    const [first, second, third] = authorities as readonly [TestAuthority, TestAuthority, TestAuthority]
    const outcome = await runCheck(
      async (testCluster) => {
        await createKinds(testCluster)
        const installing = installRelease({ profile: 'extender-only', podSecurity: 'restricted', values })
        await issueForInstallation(testCluster, first)
        release = await installing
        await place(testCluster)

        await renew(testCluster, first, first.ca)
        await renew(testCluster, first, bundle(first, second))
        await restart(testCluster)
        await renew(testCluster, second, bundle(first, second))
        const failed = (await testCluster.events()).filter(
          ({ pod, note }) => placed.includes(pod) && /x509|certificate/.test(note),
        )
        expect(failed).toEqual([])

        const ca = bundle(second, third)
        const certificates = await listCertificates(testCluster.client)
        await issueAsCertManager(testCluster.client, NAMESPACE, certificates, { issuer: third, ca })
        const refused = await testCluster.until('a pod that kube-scheduler cannot ask the extender about', async () => {
          const name = testCluster.uniqueName(`asked-${placed.length}`)
          placed.push(name)
          await testCluster.createPod(pausePod(name, {}, { schedulerName }))
          const decided = await testCluster.until(`a decision about ${name}`, async () =>
            (await testCluster.events()).find(
              ({ pod, reason }) => pod === name && ['Scheduled', 'FailedScheduling'].includes(reason),
            ),
          )
          // The call during which the certificate changes may also end with its connection.
          if (decided.reason === 'FailedScheduling' && decided.note.includes('x509')) return decided
          await testCluster.deletePod(name)
          return undefined
        })
        expect(refused.note).toMatch(/x509: certificate signed by unknown authority/)
        await restart(testCluster)
        await testCluster.untilRunning(refused.pod)
        console.log(`${placed.length} pods; without a restart: ${refused.note}`)
      },
      { waitMs: WAIT_MS },
    )
    expect(outcome).toEqual({ holds: true })
  })
})
