import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runCommand, type CommandResult } from './run-command.ts'

const program = join(import.meta.dirname, '..', 'run.ts')
const dir = mkdtempSync(join(tmpdir(), 'berth-e2e-run-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Runs the suite's program with only the programs of one directory on PATH. */
const run = (...flags: readonly string[]): Promise<CommandResult> =>
  runCommand(process.execPath, ['-C', '@berth/source', program, ...flags], { env: { PATH: dir } })

/** Starts a cluster with one worker that serves only its version and its nodes. */
async function clusterOf(gitVersion: string): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
  const [major, minor] = gitVersion.slice(1).split('.')
  const node = { metadata: { name: 'lonely' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  const nodes = { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [node] }
  const server = createServer(({ url = '' }, response) => {
    const answer = url.startsWith('/api/v1/nodes') ? nodes : { major, minor, gitVersion }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const kubeconfig = join(dir, `kubeconfig-${gitVersion}`)
  const cluster = { name: 'c', cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }]
  const users = [{ name: 'u', user: { token: 't' } }]
  writeFileSync(kubeconfig, JSON.stringify({ clusters: [cluster], contexts, users, 'current-context': 'c' }))
  return { kubeconfig, [Symbol.asyncDispose]: async () => void server.close() }
}

/** Writes a program into the directory that always prints the same text. */
function putProgram(name: string, saying: string): void {
  writeFileSync(join(dir, name), `#!/bin/sh\necho '${saying}'\n`)
  chmodSync(join(dir, name), 0o755)
}

describe('npm run e2e, when it cannot run', () => {
  test('says what to install when there is no Go', async () => {
    const { status, stderr } = await run()
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^Go 1\.26\.8 or newer builds .*no Go on PATH.*Install it \(go\.dev\/dl\)/),
    })
  })

  test('says what to install when there is no engine and none can be started', async () => {
    putProgram('go', 'go version go1.99.0 linux/amd64')
    const { status, stderr } = await run()
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/none can be started here.*Install Docker/),
    })
  })

  test.for([
    ['that is too old and names its version', 'v1.33.7', 'The cluster runs Kubernetes v1.33.7'],
    ['with too few workers and names them', 'v1.36.3', 'of the cluster’s 1 nodes, these are usable: lonely'],
  ] as const)('refuses a cluster %s', async ([, version, words]) => {
    putProgram('kubectl', 'Client Version: v1.36.3')
    putProgram('helm', 'v4.1.4')
    await using cluster = await clusterOf(version)
    const flags = ['--provider', 'existing', '--kubeconfig', cluster.kubeconfig, '--image', 'a:b']
    const { status, stderr } = await run(...flags)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) })
  })

  test.for([
    ['an unknown flag', ['--nodes', '5'], /unknown flag --nodes.*Run: npm run e2e -- --help/],
    ['an unknown provider', ['--provider', 'minikube'], /minikube: known providers are kind and existing/],
  ] as const)('refuses %s', async ([, flags, message]) => {
    const { status, stderr } = await run(...flags)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) })
  })
})
