import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually, kubectlBinary } from '@berth/testing'
import type { Node, Pod, PodSpec } from '@berth/types'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { openTcpGate, type TcpGate } from '../../real-api-server/tcp-gate.ts'
import { createAuthority, type KeyPair, type TestAuthority } from '../../real-scheduler/certificates.ts'
import { type ExtenderProcess, startExtender } from '../../real-scheduler/extender-process.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const LICENCE = 'example.com/licence'
const WAIT_MS = 120_000

describe('a real kube-scheduler whose extender fails', () => {
  const parts = new AsyncDisposableStack()
  let server: RealApiServer
  let cluster: Cluster
  let authority: TestAuthority
  let serving: KeyPair
  let good: ExtenderProcess
  let gate: TcpGate
  let kubectl: string

  const extender = (name: string, pair: KeyPair, config = {}): Promise<ExtenderProcess> =>
    startExtender({
      dir: server.dir,
      name,
      kubeconfig: server.kubeconfig(),
      server: pair,
      ca: authority.ca,
      config: { bind: true, ignoredResources: [LICENCE], ...config },
    })

  beforeAll(async () => {
    server = parts.use(await startRealApiServer())
    const amounts = { cpu: '4', memory: '8Gi', pods: '100', [LICENCE]: '100' }
    const node = (i: number): unknown => {
      const stored: Node = { metadata: { name: `node-${i}` }, status: { capacity: amounts, allocatable: amounts } }
      return toStoredObject('Node', stored)
    }
    await server.seed([1, 2].map((i) => [`minions/node-${i}`, node(i)] as const))
    cluster = parts.use(connectQuietly({ access: server.access() }))
    authority = await createAuthority()
    serving = await authority.issue('extender')
    good = parts.use(await extender('good', serving))
    gate = parts.use(await openTcpGate(good.port))
    const scheduler = startKubeScheduler({
      dir: server.dir,
      kubeconfig: server.kubeconfig(),
      extender: {
        port: gate.port,
        ca: authority.ca,
        caller: await authority.issue('kube-scheduler'),
        entry: { managedResources: [{ name: LICENCE, ignoredByScheduler: true }] },
      },
      config: { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 2 },
    })
    parts.defer(() => scheduler.kill())
    kubectl = await kubectlBinary()
  })
  afterAll(() => parts.disposeAsync())

  async function createPod(name: string, units: Readonly<Record<string, string>>, spec: Partial<PodSpec> = {}) {
    const resources = { requests: units, limits: units }
    await cluster.client.create<Pod>(resourceRefs.pods, {
      metadata: { name, namespace: 'default' },
      spec: { ...spec, containers: [{ name: 'main', image: 'none', resources }] },
    })
  }
  const nodeOf = async (name: string): Promise<string | undefined> =>
    (await cluster.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name })).spec.nodeName
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: WAIT_MS, signal: new AbortController().signal })
  const untilBound = (name: string): Promise<string> => until(`${name} to be bound`, () => nodeOf(name))

  /** Waits until `kubectl describe` shows a reason, and returns its output. */
  async function describePod(name: string, reason: RegExp): Promise<string> {
    const kubeconfig = join(server.dir, 'kubectl.kubeconfig')
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
    return until(`kubectl describe to show ${reason} for ${name}`, async () => {
      const text = await runOrThrow(kubectl, ['--kubeconfig', kubeconfig, 'describe', 'pod', name])
      return reason.test(text) ? text : undefined
    })
  }

  /** Serves a program instead of the extender, with a certificate that kube-scheduler accepts. */
  async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly port: number }> {
    const fake = createHttpsServer({ ...serving }, listener).listen(0, '127.0.0.1')
    await once(fake, 'listening')
    return {
      port: (fake.address() as AddressInfo).port,
      async [Symbol.asyncDispose]() {
        fake.closeAllConnections()
        await once(fake.close(), 'close')
      },
    }
  }

  /** Makes calls fail until the result is disposed. */
  type Fault = () => Promise<AsyncDisposable>
  const nothing: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() }
  const faults: readonly { readonly it: string; readonly fault: Fault; readonly reason: RegExp }[] = [
    {
      it: 'is down',
      fault: async () => {
        const closed = createServer().listen(0, '127.0.0.1')
        await once(closed, 'listening')
        const { port } = closed.address() as AddressInfo
        await once(closed.close(), 'close')
        gate.forwardTo(port)
        return nothing
      },
      reason: /FailedScheduling .*Post "https:\/\/127\.0\.0\.1:\d+\/filter": (?:EOF|.*connection reset by peer)/,
    },
    {
      it: 'is slow',
      fault: async () => {
        const slow = await serve(() => undefined)
        gate.forwardTo(slow.port)
        return slow
      },
      reason: /FailedScheduling .*\/filter": .*Client\.Timeout exceeded/,
    },
    {
      it: 'answers garbage',
      fault: async () => {
        const garbage = await serve((_, response) => response.end('<html>not found</html>'))
        gate.forwardTo(garbage.port)
        return garbage
      },
      reason: /FailedScheduling .*invalid character '<' looking for beginning of value/,
    },
    {
      it: 'has an expired certificate',
      fault: async () => {
        const expired = await extender('expired', await authority.issue('extender', { isExpired: true }))
        gate.forwardTo(expired.port)
        return expired
      },
      reason: /FailedScheduling .*certificate has expired or is not yet valid/,
    },
    {
      it: 'does not allow the name of the caller',
      fault: async () => {
        const strict = await extender('strict', serving, { allowedClientNames: ['another-scheduler'] })
        gate.forwardTo(strict.port)
        return strict
      },
      reason: /FailedScheduling .*failed filter with extender at URL .*code 403/,
    },
  ]

  test.for(faults.map((fault, i) => ({ ...fault, i })))(
    'leaves pods with a managed resource waiting with a reason, binds others and recovers: it $it',
    async ({ i, fault, reason }) => {
      const [managed, other] = [`licence-${i}`, `plain-${i}`]
      await using undo = await fault()
      await createPod(managed, { [LICENCE]: '1' })
      await createPod(other, { cpu: '10m' })
      expect(await untilBound(other)).toMatch(/^node-/)
      const text = await describePod(managed, reason)
      expect(text).toMatch(/^Node: +<none>$/m)
      expect(await nodeOf(managed)).toBeUndefined()
      gate.forwardTo(good.port)
      expect(await untilBound(managed)).toMatch(/^node-/)
      void undo
    },
  )

  test('a shortage of an ignored resource is unresolvable: priority preempts no pod, and the event says so', async () => {
    await createPod('holder', { [LICENCE]: '90' })
    const holder = await untilBound('holder')
    await createPod('other-holder', { [LICENCE]: '90' })
    await untilBound('other-holder')
    await createPod('urgent', { [LICENCE]: '50' }, { priorityClassName: 'system-cluster-critical' })
    const text = await describePod('urgent', /FailedScheduling .*Preemption is not helpful/)
    expect(text).toMatch(
      /0\/2 nodes are available: 2 Insufficient example\.com\/licence\. .*preemption: 0\/2 nodes are available: 2 Preemption is not helpful for scheduling\./,
    )
    expect(await nodeOf('holder')).toBe(holder)
  })
})
