import { expect, test } from 'vitest'
import { startLab } from './lab.ts'

const DONGLE = 'example.com/dongle'

test('binds a pod to the node that has what it asks for, and says so', async () => {
  await using lab = await startLab()
  await lab.createNode('without', {})
  await lab.createNode('with', { [DONGLE]: '4' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  expect((await lab.pod('web')).spec.nodeName).toBe('with')
  await lab.clock.advance(1_000)
  expect(await lab.events('web')).toEqual(['Scheduled: Successfully assigned default/web to with'])
})
