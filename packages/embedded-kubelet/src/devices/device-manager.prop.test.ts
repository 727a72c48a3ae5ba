import { fakeClock, seededRandom } from '@berth/clock/testing'
import { ContainerAllocateResponse, type Device } from '@berth/kubelet-api'
import { silentLogger, type Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDeviceManager } from './device-manager.ts'

const NAME = 'example.com/dongle'
const listOf = (healthy: number, all: number): Device[] =>
  Array.from({ length: all }, (_, i) => ({ ID: `d${i}`, health: i < healthy ? 'Healthy' : 'Bad', topology: undefined }))

const step = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), pod: fc.nat(9), init: fc.nat(3), main: fc.nat(3) }),
  fc.record({ kind: fc.constant('end' as const), pod: fc.nat(9) }),
  fc.record({ kind: fc.constant('list' as const), healthy: fc.nat(8) }),
)

test('never allocates a device to two live pods', async () => {
  let refused = 0
  let given = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer(), async (steps, seed) => {
      const random = seededRandom((Math.abs(seed) % 2_147_483_646) + 1)
      const manager = createDeviceManager({ clock: fakeClock({ turns: 20 }), random, log: silentLogger })
      const endpoint = {
        allocate: async () => ContainerAllocateResponse.create({}),
        getPreferredAllocation: async (ids: readonly string[]) => ids,
        preStartContainer: async () => {},
      }
      const options = { preStartRequired: false, getPreferredAllocationAvailable: true }
      const registration = manager.register(NAME, { endpoint, options })
      registration.setDevices(listOf(8, 8))
      const live = new Set<string>()
      for (const [index, each] of steps.entries()) {
        if (each.kind === 'list') registration.setDevices(listOf(each.healthy, 8))
        else if (each.kind === 'end') live.delete([...live][each.pod % Math.max(1, live.size)] ?? '')
        else {
          const uid = `p${index}`
          const asks = (name: string, count: number) => ({ name, resources: { limits: { [NAME]: count } } })
          const pod: Pod = {
            metadata: { uid },
            spec: { initContainers: [asks('init', each.init)], containers: [asks('main', each.main)] },
          }
          try {
            await manager.allocate(pod, live)
            live.add(uid)
            given++
          } catch {
            refused++
          }
        }
        const holders = [...live].flatMap((uid) => [
          ...new Set(manager.allocations(uid).flatMap(({ deviceIds }) => deviceIds)),
        ])
        expect(new Set(holders).size).toBe(holders.length)
      }
    }),
  )
  expect(given).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})
