/** An extender without decisions: it accepts every node, gives all nodes the same score and posts the Binding. */
import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig } from '@berth/k8s-client'
import { silentLogger, type ExtenderBindingArgs, type ObjectReference } from '@berth/types'
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
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

const server = createSecureServer(
  {
    allowHTTP1: true,
    // As the extender: kube-scheduler resets streams.
    streamResetBurst: 10_000,
    streamResetRate: 10_000,
    settings: { maxConcurrentStreams: 1_000, initialWindowSize: 1_048_576 },
    cert: readFileSync(cert),
    key: readFileSync(key),
    ca: readFileSync(ca),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
  },
  (request, response) => {
    const answer = async (): Promise<void> => {
      const result: unknown = await verbs[request.url]?.(JSON.parse(await text(request)))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(result))
    }
    answer().catch((error: unknown) => {
      response.statusCode = 500
      response.end(String(error))
    })
  },
)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`{"msg":"listening","port":${port}}\n`)
})
process.once('SIGTERM', () => process.exit(0))
