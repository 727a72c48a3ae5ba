import { sleep } from '@berth/clock'
import { seededRandom } from '@berth/clock/testing'
import { connectCluster, resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import { type BerthPlugin, createPluginRegistry } from '@berth/plugin-api'
import { createApiServer } from '@berth/simulator'
import {
  silentLogger,
  type ApiHandler,
  type ApiResponse,
  type KubernetesObject,
  type Node,
  type Pod,
} from '@berth/types'
import { briefCommand } from '../src/brief/brief-command.ts'
import { capacityCommand } from '../src/capacity/capacity-command.ts'
import { runCli } from '../src/cli/run-cli.ts'
import { printCompletions } from '../src/completion/print-completions.ts'
import { doctorCommand } from '../src/doctor/doctor-command.ts'
import { extensionsCommand } from '../src/extensions/extensions-command.ts'
import { explainCommand } from '../src/explain/explain-command.ts'
import { uiCommand } from '../src/ui/ui-command.ts'
import { uninstallAnnounceCommand } from '../src/uninstall/uninstall-announce-command.ts'
import { uninstallCheckCommand } from '../src/uninstall/uninstall-check-command.ts'
import { uninstallWaitCommand } from '../src/uninstall/uninstall-wait-command.ts'
import { whatifCommand } from '../src/whatif/whatif-command.ts'
import { wireCommand } from '../src/wire/wire-command.ts'
import { testTerminal, type TestTerminal } from './test-terminal.ts'

/** A simulated API server and the program in front of it, in virtual time. */
export interface TestCluster {
  readonly client: ApiClient
  readonly terminal: TestTerminal
  /** Refuses to list these plurals, as a server does without permission. */
  forbid(...plurals: readonly string[]): void
  /** Undoes {@link forbid}. */
  allow(...plurals: readonly string[]): void
  /** Refuses to list these plurals in all namespaces, as a server does for a user with rights in one namespace. */
  forbidClusterWide(...plurals: readonly string[]): void
  /** Answers GETs of this path itself, as a server with further API groups does. */
  serve(path: string, body: object, status?: number): void
  /** Paths with queries of the requests of the program so far. */
  requests(): readonly string[]
  /** Addresses that the program opened in a browser. */
  openedAddresses(): readonly string[]
  /** Delays each answer by this time, milliseconds. */
  slowDown(ms: number): void
  /** Answers GETs of this path with a page of text. */
  servePage(path: string, status: number, text: string): void
  create(resource: ResourceRef, object: KubernetesObject): Promise<KubernetesObject>
  addNode(name: string, amounts?: Record<string, string>, more?: Partial<Node['metadata']>): Promise<void>
  addPod(
    name: string,
    asks: Record<string, string>,
    more?: Partial<Pod['spec']> & { metadata?: Partial<Pod['metadata']> },
  ): Promise<Pod>
  /** Runs one command line; returns what it printed. */
  run(...argv: readonly string[]): Promise<string>
  /** As `run`, until the signal aborts. */
  runUntil(stop: AbortSignal, ...argv: readonly string[]): Promise<string>
}

/**
 * A cluster without nodes.
 *
 * @param plugins - The content of every --plugin-dir.
 */
export function testCluster(
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
  plugins: readonly BerthPlugin[] = [],
): TestCluster {
  const terminal = testTerminal(files)
  // Uids must differ, and be the same in every run.
  const random = seededRandom(1)
  const server = createApiServer({ clock: terminal.clock, random })
  const forbidden = new Set<string>()
  const forbiddenClusterWide = new Set<string>()
  const served = new Map<string, { readonly status: number; readonly contentType: string; readonly text: string }>()
  const requests: string[] = []
  const opened: string[] = []
  const browser = { hasScreen: false, open: async (url: string) => opened.push(url) > 0 }
  let delayMs = 0
  const handler: ApiHandler = async (request) => {
    if (delayMs > 0) await sleep(terminal.clock, delayMs)
    const path = request.path.split('?')[0] ?? ''
    const own = served.get(path)
    if (own !== undefined)
      return { status: own.status, headers: { 'content-type': own.contentType }, body: bytes(own.text) }
    const plural = path.split('/').at(-1) ?? ''
    const isRefused = forbidden.has(plural) || (forbiddenClusterWide.has(plural) && !path.includes('/namespaces/'))
    return isRefused ? refusal(plural) : server.handle(request)
  }
  const connect = (handle: ApiHandler = handler) =>
    connectCluster({
      handler: handle,
      log: silentLogger,
      clock: terminal.clock,
      random,
      qps: 0,
      userAgent: 'kubectl-berth',
    })
  const { client } = connect()

  return {
    client,
    terminal,
    forbid: (...plurals) => plurals.forEach((plural) => forbidden.add(plural)),
    allow: (...plurals) => plurals.forEach((plural) => forbidden.delete(plural)),
    forbidClusterWide: (...plurals) => plurals.forEach((plural) => forbiddenClusterWide.add(plural)),
    serve: (path, body, status = 200) =>
      void served.set(path, { status, contentType: 'application/json', text: JSON.stringify(body) }),
    slowDown: (ms) => void (delayMs = ms),
    servePage: (path, status, text) => void served.set(path, { status, contentType: 'text/plain', text }),
    requests: () => requests,
    openedAddresses: () => opened,
    create: (resource, object) => client.create(resource, object),
    async addNode(name, amounts = {}, more = {}) {
      const list = { cpu: '2', memory: '2049008Ki', pods: '110', ...amounts }
      await client.create(resourceRefs.nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name, ...more } })
      await client.patchNodeStatus(name, { status: { capacity: list, allocatable: list } }, { fieldManager: 'test' })
    },
    addPod(name, asks, { metadata, ...spec } = {}) {
      const container = { name: 'ctr', image: 'nginx', resources: { requests: asks, limits: asks } }
      return client.create<Pod>(resourceRefs.pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default', ...metadata },
        spec: { containers: [container], ...spec },
      })
    },
    run: (...argv) => runUntil(new AbortController().signal, ...argv),
    runUntil,
  }

  async function runUntil(stop: AbortSignal, ...argv: readonly string[]): Promise<string> {
    const before = terminal.output().length
    await runCli({
      argv,
      commands: [
        briefCommand,
        explainCommand,
        capacityCommand,
        whatifCommand,
        wireCommand,
        uiCommand(browser),
        extensionsCommand(env),
        doctorCommand,
        uninstallCheckCommand(env),
        uninstallAnnounceCommand,
        uninstallWaitCommand,
      ],
      terminal,
      stop,
      version: '0.0.0',
      complete: printCompletions,
      contexts: async () => ['kind', 'production'],
      connectTransport: () => Promise.reject(new Error('no transport')),
      builtInPlugins: async () => plugins,
      loadPlugins: async (dir) =>
        createPluginRegistry(dir === undefined ? [] : plugins.map((plugin) => ({ plugin, origin: dir }))),
      connect: async () => {
        let isOpen = true
        const cluster = connect(async (request) => {
          if (!isOpen) throw new Error('the connection to the API server is closed')
          requests.push(request.path)
          return await handler(request)
        })
        return {
          cluster,
          deadlineMs: 30_000,
          namespace: 'default',
          async [Symbol.asyncDispose]() {
            isOpen = false
            await cluster[Symbol.asyncDispose]()
          },
        }
      },
    })
    return terminal.output().slice(before)
  }
}

function refusal(plural: string): ApiResponse {
  const status = {
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: `${plural} is forbidden`,
  }
  return { status: 403, headers: { 'content-type': 'application/json' }, body: bytes(JSON.stringify(status)) }
}

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text)
}
