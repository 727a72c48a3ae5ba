/** An extender without decisions: it accepts every node, gives all nodes the same score and posts the Binding. */
import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig } from '@berth/k8s-client'
import { silentLogger, type ExtenderBindingArgs, type ObjectReference } from '@berth/types'
import { readFileSync } from 'node:fs'
import { constants, createSecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const [kubeconfig = '', cert = '', key = '', ca = ''] = process.argv.slice(2)
const access = loadKubeconfig({ path: kubeconfig, env: {}, home: '/' })
const world = { clock: systemClock(), random: Math.random, log: silentLogger }
const cluster = connectCluster({ access, ...world, qps: 0, userAgent: 'pass-through/1' })

interface Args {
  readonly NodeNames: readonly string[]
}

async function bind({ PodName, PodNamespace, PodUID, Node }: ExtenderBindingArgs): Promise<unknown> {
  const pod: ObjectReference = { name: PodName, namespace: PodNamespace, uid: PodUID }
  const outcome = await cluster.client.bind({ metadata: pod, spec: { containers: [] } }, Node)
  return { Error: outcome.kind === 'bound' ? '' : outcome.kind }
}

const verbs: Readonly<Record<string, (body: unknown) => unknown>> = {
  '/filter': (body) => ({
    Nodes: null,
    NodeNames: (body as Args).NodeNames,
    FailedNodes: {},
    FailedAndUnresolvableNodes: {},
    Error: '',
  }),
  '/prioritize': (body) => (body as Args).NodeNames.map((Host) => ({ Host, Score: 0 })),
  '/preempt': () => ({ NodeNameToMetaVictims: {} }),
  '/bind': (body) => bind(body as ExtenderBindingArgs),
}

async function answer(stream: ServerHttp2Stream, path: string): Promise<void> {
  const result: unknown = await verbs[path]?.(JSON.parse(await text(stream)))
  const json = Buffer.from(JSON.stringify(result))
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': json.length })
  // As the extender: the end is in the last frame of the body, so that kube-scheduler does not reset the stream.
  stream.end(json)
}

// The limits are those of the extender.
const server = createSecureServer({
  streamResetBurst: 10_000,
  streamResetRate: 10_000,
  settings: { enablePush: false, maxConcurrentStreams: 1_000, initialWindowSize: 1_048_576 },
  cert: readFileSync(cert),
  key: readFileSync(key),
  ca: readFileSync(ca),
  requestCert: true,
  rejectUnauthorized: true,
  minVersion: 'TLSv1.3',
})
server.on('session', (session) => session.setLocalWindowSize(16 * 1_048_576))
server.on('stream', (stream: ServerHttp2Stream, headers) => {
  stream.on('error', () => undefined)
  answer(stream, headers[':path'] ?? '').catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`{"msg":"listening","port":${port}}\n`)
})
process.once('SIGTERM', () => process.exit(0))
