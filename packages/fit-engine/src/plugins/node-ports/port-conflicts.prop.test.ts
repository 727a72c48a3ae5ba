import { type HostPort, hostPortsConflict } from '@berth/resources'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { portConflicts } from './port-conflicts.ts'

const hostPort: fc.Arbitrary<HostPort> = fc.record({
  ip: fc.constantFrom('0.0.0.0', '127.0.0.1', '10.0.0.1'),
  protocol: fc.constantFrom('TCP', 'UDP'),
  port: fc.integer({ min: 1, max: 4 }),
})

test('many ports conflict with another exactly when one of them does', () => {
  fc.assert(
    fc.property(fc.array(hostPort, { maxLength: 3 }), hostPort, (some, taken) => {
      const padding = Array.from({ length: 40 }, (_, i) => ({ ip: '10.0.0.9', protocol: 'TCP', port: 100 + i }))
      const expected = some.some((port) => hostPortsConflict(port, taken))
      expect([portConflicts(some)(taken), portConflicts([...some, ...padding])(taken)]).toEqual([expected, expected])
    }),
    { numRuns: 1000 },
  )
})
