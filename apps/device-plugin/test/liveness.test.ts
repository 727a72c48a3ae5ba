import { createServer } from 'node:net'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { checkSocket } from '../src/plugin-server/check-socket.ts'
import { startTestNode, waitUntil } from './test-node.ts'

test('is alive but not ready while the kubelet does not register it', async () => {
  await using testNode = await startTestNode()
  await testNode.kubelet.stop()
  const plugin = testNode.startPlugin('watcher')
  const dir = testNode.socketDir('watcher')
  await waitUntil('the socket', async () => ((await readdir(dir)).length > 0 ? true : undefined))
  expect(plugin.problem()).toBeDefined()
  expect(await plugin.socketProblem(AbortSignal.timeout(10_000))).toBeUndefined()
})

test('is alive before the first inventory, and when its socket answers', async () => {
  await using testNode = await startTestNode()
  const plugin = testNode.startPlugin('watcher')
  expect(await plugin.socketProblem(AbortSignal.timeout(10_000))).toBeUndefined()
  await testNode.waitForCounts('4/4')
  expect(await plugin.socketProblem(AbortSignal.timeout(10_000))).toBeUndefined()
})

test('is not alive after its directory was deleted, because only another mount helps', async () => {
  await using testNode = await startTestNode()
  const path = join(testNode.dir, 'own-directory')
  await mkdir(path)
  const plugin = testNode.startPlugin('watcher', { directory: { path, flag: '--plugins-registry' } })
  await waitUntil('the socket', async () => ((await readdir(path)).length > 0 ? true : undefined))
  expect(await plugin.socketProblem(AbortSignal.timeout(10_000))).toBeUndefined()
  await rm(path, { recursive: true })
  const problem = await waitUntil('the end of the server', async () => {
    const found = await plugin.socketProblem(AbortSignal.timeout(10_000))
    return found?.includes('was deleted') === true ? found : undefined
  })
  expect(problem).toBe(`${path} was deleted, so no socket can be opened`)
})

test('reports a socket that is missing and one that does not answer', async () => {
  await using testNode = await startTestNode()
  const path = join(testNode.dir, 'own.sock')
  expect(await checkSocket(path, AbortSignal.timeout(10_000))).toContain(`${path} does not answer`)
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(path, resolve))
  onTestFinished(() => void silent.close())
  const stop = new AbortController()
  const answer = checkSocket(path, stop.signal)
  stop.abort()
  expect(await answer).toContain(`${path} does not answer`)
})
