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

  // A renamed id makes a held device look free, so these values of released versions never change.
  test.for([
    {
      path: '/dev/serial/by-id/usb-Acme_Key:1-if00',
      slot: undefined,
      id: 'dev-serial-by-id-usb-Acme_Key-1-if00-3df66dbb',
    },
    { path: '/dev/ttyUSB0', slot: 2, id: 'dev-ttyUSB0-2' },
    {
      path: `/dev/${'long/'.repeat(20)}end`,
      slot: 1,
      id: 'ong-long-long-long-long-long-long-long-long-long-end-a13cc700-1',
    },
  ])('still converts $path to the id of version 0.1.0', ({ path, slot, id }) => {
    expect(deviceId(path, slot)).toBe(id)
  })

  test('fits the limit of the kubelet, starts with a letter or digit, and keeps the slot', () => {
    const id = deviceId(`/dev/${'-long:'.repeat(30)}end`, 12)
    expect(id.length).toBeLessThanOrEqual(63)
    expect(id).toMatch(/^[A-Za-z0-9].*end-[0-9a-f]{8}-12$/u)
    expect(deviceId('/dev/x', 0)).toBe('dev-x-0')
  })
})
