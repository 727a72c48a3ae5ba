import { systemClock } from '@berth/clock'
import { createPluginRegistry } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { offerDevices } from '../../src/offer/offer-devices.ts'
import { pathGlobSource } from '../../src/sources/path-glob/path-glob.ts'
import { DONGLE, startTestNode } from '../test-node.ts'

const env = { log: silentLogger, clock: systemClock(), random: Math.random, resourceName: DONGLE }
const sources = createPluginRegistry([{ plugin: pathGlobSource, origin: 'here' }])

test('the kubelet counts the replicas of the selected devices, and a container gets the device behind them once', async () => {
  await using testNode = await startTestNode()
  const dev = join(testNode.dir, 'dev')
  await mkdir(dev)
  for (const name of ['dongle0', 'dongle1', 'other']) await writeFile(join(dev, name), '')
  const source = sources.createDeviceSource('path-glob', { paths: [`${dev}/*`], rescanSeconds: 30 }, env)
  const config = { include: ['*/dongle*'], exclude: ['*/dongle1'], replicas: 3 }
  testNode.startPlugin('watcher', { source: offerDevices(source, config).source })
  await testNode.waitForCounts('3/3')

  const pod = await testNode.runPod('both', 2)
  const options = testNode.kubelet.runOptions(pod, 'main')
  const path = join(dev, 'dongle0')
  expect(options.mounts).toEqual([{ hostPath: path, containerPath: path, readOnly: true }])
  expect(options.env.get('BERTH_DEVICES_EXAMPLE_COM_DONGLE')).toMatch(/^[^,]+::\d,[^,]+::\d$/)
  expect((await testNode.runPod('last', 1)).status?.phase).toBe('Running')
  expect((await testNode.runPod('none', 1)).status?.phase).toBe('Failed')

  await writeFile(join(dev, 'dongle2'), '')
  await testNode.waitForCounts('6/6')
})
