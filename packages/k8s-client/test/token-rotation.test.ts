import { systemClock } from '@berth/clock'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@berth/types'
import { afterAll, expect, test } from 'vitest'
import { connectCluster, loadKubeconfig, resourceRefs } from '../src/index.ts'
import { startTlsServer } from './tls-server.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-token-'))
afterAll(() => rmSync(dir, { recursive: true }))

const endOfInitial =
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}\n'

async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isDone(); turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  if (!isDone()) throw new Error('it did not happen within ten seconds')
}

test('recovers by itself from a token file that is missing at the start and during a reconnect', async () => {
  const seen: (string | undefined)[] = []
  await using server = await startTlsServer({
    protocol: 'h2',
    answer: (request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200)
      response.write(endOfInitial)
    },
  })
  const [tokenFile, file] = [join(dir, 'token'), join(dir, 'config')]
  const cluster = `{ server: "${server.access.server}", certificate-authority-data: ${Buffer.from(server.access.ca ?? '').toString('base64')} }`
  writeFileSync(
    file,
    `current-context: m\ncontexts: [{ name: m, context: { cluster: c, user: u } }]\nusers: [{ name: u, user: { tokenFile: token } }]\nclusters: [{ name: c, cluster: ${cluster} }]`,
  )
  let nowMs = 0
  const access = loadKubeconfig({ path: file, env: {}, home: dir, now: () => nowMs })
  const world = { log: silentLogger, clock: systemClock(), random: () => 0, userAgent: 'test', qps: 0 }
  await using connected = connectCluster({ access, ...world })
  const pods = connected.reflect(resourceRefs.pods)
  await until(() => pods.failure() !== undefined)
  expect(pods.failure()).toMatchObject({ code: 'BERTH_KUBECONFIG_CREDENTIALS' })
  writeFileSync(tokenFile, 'one')
  await pods.waitForSync()
  expect([pods.failure(), ...seen]).toEqual([undefined, 'Bearer one'])

  rmSync(tokenFile)
  nowMs += 61_000
  for (const socket of server.sockets) socket.destroy()
  await until(() => seen.length === 2)
  expect(seen[1]).toBe('Bearer one')

  writeFileSync(tokenFile, 'two')
  nowMs += 61_000
  for (const socket of server.sockets) socket.destroy()
  await until(() => seen.length === 3)
  expect(seen[2]).toBe('Bearer two')
})
