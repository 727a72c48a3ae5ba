import { isIP, isIPv4, isIPv6 } from 'node:net'

const uuidPattern = (version: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i')
const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const GO_DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/
const LONG_DURATION =
  /^\d+\s*(ns|us|ms|s|m|h|d|w|nanos?|micros?|millis?|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?)$/i

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)

// Keys are upstream's names without dashes.
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['uri', (text) => text.startsWith('/') || URL.canParse(text)],
  ['email', matches(/^[^\s@<>]+@[^\s@<>]+$/)],
  [
    'hostname',
    (text) =>
      text.length <= 255 &&
      /^([a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$/.test(text),
  ],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', matches(/^([0-9a-f]{2}[:-]){5}([0-9a-f]{2})$/i)],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(uuidPattern('3'))],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['byte', (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)],
  ['date', (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))],
  ['duration', (text) => text === '0' || GO_DURATION.test(text) || LONG_DURATION.test(text)],
  ['datetime', (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))],
  ['k8sshortname', (text) => text.length <= 63 && new RegExp(`^${DNS_LABEL}$`).test(text)],
  ['k8slongname', (text) => text.length <= 253 && new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`).test(text)],
])

/** Returns whether a text is valid for a `format` of a schema; true for unknown formats, which upstream ignores. */
export function hasFormat(text: string, format: string): boolean {
  return FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const version = isIP(address)
  return rest.length === 0 && version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}
