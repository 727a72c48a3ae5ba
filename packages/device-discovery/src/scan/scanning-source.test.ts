import { systemClock } from '@berth/clock'
import { silentLogger, type Device } from '@berth/types'
import { expect, test } from 'vitest'
import { createScanningSource } from './scanning-source.ts'

interface Port extends Device {
  readonly port: number
}
const port = (id: string, number: number): Port => ({ id, health: 'Healthy', port: number })

test('allocates the wanted devices of the inventory, sorted by id', async () => {
  const source = createScanningSource<Port>(
    {
      scan: async () => ({ devices: [] }),
      rescanSeconds: 5,
      allocate: (devices) => ({ env: { PORTS: devices.map((device) => device.port).join(',') } }),
    },
    { clock: systemClock(), log: silentLogger },
  )
  expect(await source.allocate(['c', 'a'], [port('c', 3), port('b', 2), port('a', 1)])).toEqual({
    env: { PORTS: '1,3' },
  })
})
