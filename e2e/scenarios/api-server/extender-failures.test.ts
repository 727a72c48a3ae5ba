import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually, kubectlBinary } from '@berth/testing'
import type { Node, Pod, PodSpec } from '@berth/types'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
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
import { type CalledExtender, startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'
import type { ServerProcess } from '../../real-api-server/server-process.ts'

const LICENCE = 'example.com/licence'
const DONGLE = 'example.com/dongle'
const WAIT_MS = 120_000
/** Whole nodes of this number and size are a body of 75 MB. The limit of the extender is 16 MiB. */
const LARGE_NODES = 300
const LARGE_NODE_BYTES = 250_000

describe('a real kube-scheduler whose extender fails', () => {
  const parts = new AsyncDisposableStack()
  let server: RealApiServer
  let cluster: Cluster
  let authority: TestAuthority
  let serving: KeyPair
  let good: ExtenderProcess
  let gate: TcpGate
  let caller: KeyPair
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
    caller = await authority.issue('kube-scheduler')
    const scheduler = startKubeScheduler({
      dir: server.dir,
      kubeconfig: server.kubeconfig(),
      extender: {
        port: gate.port,
        ca: authority.ca,
        caller,
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

  /** Starts another kube-scheduler, for the pods that name it, which calls the extender that works. */
  function startScheduler(
    schedulerName: string,
    { config = {}, ...extender }: Partial<CalledExtender> & { readonly config?: Readonly<Record<string, unknown>> },
  ): ServerProcess {
    const dir = join(server.dir, schedulerName)
    mkdirSync(dir, { recursive: true })
    return startKubeScheduler({
      dir,
      kubeconfig: server.kubeconfig(),
      extender: { port: good.port, ca: authority.ca, caller, ...extender },
      config: {
        podInitialBackoffSeconds: 1,
        podMaxBackoffSeconds: 2,
        profiles: [{ schedulerName }],
        ...config,
      },
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

  const wrongCallers: readonly { readonly it: string; readonly issue: () => Promise<KeyPair> }[] = [
    { it: 'an expired certificate', issue: () => authority.issue('kube-scheduler', { isExpired: true }) },
    {
      it: 'a certificate of another authority',
      issue: async () => (await createAuthority('another authority')).issue('kube-scheduler'),
    },
  ]

  test.for(wrongCallers.map((each, i) => ({ ...each, i })))(
    'a kube-scheduler that calls with $it gets no verdict, binds other pods, and recovers with its own certificate',
    async ({ i, issue }) => {
      const schedulerName = `wrong-caller-${i}`
      const entry = { managedResources: [{ name: LICENCE, ignoredByScheduler: true }] }
      // With TLS 1.3, a server verifies the certificate after the caller's handshake is complete, so the text of the error varies.
      const wrong = startScheduler(schedulerName, { caller: await issue(), entry })
      const [managed, other] = [`wrong-licence-${i}`, `wrong-plain-${i}`]
      try {
        await createPod(managed, { [LICENCE]: '1' }, { schedulerName })
        await createPod(other, { cpu: '10m' }, { schedulerName })
        expect(await untilBound(other)).toMatch(/^node-/)
        await describePod(
          managed,
          /FailedScheduling .*\/filter": .*(?:remote error: tls: |EOF|connection reset by peer|broken pipe)/,
        )
        expect(await nodeOf(managed)).toBeUndefined()
      } finally {
        await wrong.kill()
      }
      const right = startScheduler(schedulerName, { entry })
      try {
        expect(await untilBound(managed)).toMatch(/^node-/)
      } finally {
        await right.kill()
      }
    },
  )

  test('whole nodes above the limit: the event of the pod says what to change, although the body takes longer than httpTimeout', async () => {
    const amounts = { cpu: '4', memory: '8Gi', pods: '100', [DONGLE]: '1' }
    const annotations = { note: 'x'.repeat(LARGE_NODE_BYTES) }
    const large = (name: string): Node => ({
      metadata: { name, annotations },
      status: { capacity: amounts, allocatable: amounts },
    })
    const names = Array.from({ length: LARGE_NODES }, (_, i) => `large-${i}`)
    await server.seed(names.map((name) => [`minions/${name}`, toStoredObject('Node', large(name))] as const))
    const scheduler = startScheduler('whole-nodes', {
      entry: { nodeCacheCapable: false, managedResources: [{ name: DONGLE }] },
      config: { percentageOfNodesToScore: 100 },
    })
    try {
      await createPod('whole', { [DONGLE]: '1' }, { schedulerName: 'whole-nodes' })
      await describePod(
        'whole',
        /FailedScheduling .*the body has 7\d\.\d MiB, and the limit is 16\.0 MiB: set nodeCacheCapable to true in kube-scheduler/,
      )
      expect(await nodeOf('whole')).toBeUndefined()
    } finally {
      await scheduler.kill()
    }
  })
})
