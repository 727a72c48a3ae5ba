import { shortHash } from '@berth/device-discovery'

/** Vendor of every CDI device that Berth describes. It is not that of the resource, whose vendor may write its own files. */
const VENDOR = 'berth.dev'

/** Names that CDI allows for a device. */
export const CDI_DEVICE_NAME: RegExp = /^[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?$/

/**
 * Returns the CDI class of a resource: a readable part of its name and a hash, so that different resources have
 * different classes. Containers that run refer to it, so a release must not change it.
 */
export function cdiClass(resourceName: string): string {
  const readable = resourceName.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^[^A-Za-z]+|-+$/g, '')
  return `${readable.slice(0, 80) || 'resource'}-${shortHash(resourceName)}`
}

/** Returns the name of a device within its CDI class: its id, or a readable part and a hash if CDI does not allow the id. */
export function cdiDeviceName(id: string): string {
  if (CDI_DEVICE_NAME.test(id)) return id
  const readable = id.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
  return `${readable || 'device'}-${shortHash(id)}`
}

/** Returns the kind of a class: `vendor/class`. */
export function cdiKind(className: string): string {
  return `${VENDOR}/${className}`
}

/** Returns the fully qualified name that a container requests. */
export function cdiName(resourceName: string, id: string): string {
  return `${cdiKind(cdiClass(resourceName))}=${cdiDeviceName(id)}`
}
