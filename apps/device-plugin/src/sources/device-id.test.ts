import { describe, expect, test } from 'vitest'
import { deviceId } from './device-id.ts'

describe('deviceId', () => {
  test.for([
    { path: '/dev/ttyUSB0', id: 'dev-ttyUSB0' },
    { path: '/dev/bus/usb/001', id: 'dev-bus-usb-001' },
    { path: '/dev/video.1_a', id: 'dev-video.1_a' },
  ])('converts $path to $id', ({ path, id }) => {
    expect(deviceId(path)).toBe(id)
  })

  test.for([
    ['/dev/a-b', '/dev/a/b'],
    ['/dev/a:b', '/dev/a b'],
    [`/dev/${'x'.repeat(100)}1`, `/dev/${'y'.repeat(100)}1`],
  ])('gives %s and %s different ids', ([one = '', other = '']) => {
    expect(deviceId(one)).not.toBe(deviceId(other))
  })

  test('fits the limit of the kubelet, starts with a letter or digit, and keeps the slot', () => {
    const id = deviceId(`/dev/${'-long:'.repeat(30)}end`, 12)
    expect(id.length).toBeLessThanOrEqual(63)
    expect(id).toMatch(/^[A-Za-z0-9].*end-[0-9a-f]{8}-12$/u)
    expect(deviceId('/dev/x', 0)).toBe('dev-x-0')
  })
})
