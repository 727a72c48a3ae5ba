import { expect, test } from 'vitest'
import { cdiClass, cdiDeviceName, cdiName } from './cdi-names.ts'

// Containers that run refer to these names, so a release must not change them.
test.for([
  { resource: 'example.com/dongle', name: 'example-com-dongle-8db8f1d1' },
  { resource: 'example.com/a_b', name: 'example-com-a-b-a2fa16cd' },
  { resource: 'example.com.a/b', name: 'example-com-a-b-d68400f6' },
  { resource: '1.2/3', name: 'resource-24b6db6e' },
])('the class of $resource is $name', ({ resource, name }) => {
  expect(cdiClass(resource)).toBe(name)
})

test.for([
  { id: 'seat-0', name: 'seat-0' },
  { id: '_x', name: 'x-a01e47cb' },
  { id: 'a b', name: 'a-b-c8687a08' },
  { id: 'ü', name: 'device-607474ca' },
])('the device $id is called $name', ({ id, name }) => {
  expect(cdiDeviceName(id)).toBe(name)
})

test('a container requests vendor, class and device', () => {
  expect(cdiName('example.com/dongle', 'a')).toBe('berth.dev/example-com-dongle-8db8f1d1=a')
})
