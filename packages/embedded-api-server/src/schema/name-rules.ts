const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'

const LABEL_PATTERN = new RegExp(`^${LABEL}$`)
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`)
const NAME_PATTERN = new RegExp(`^${NAME}$`)

/** Returns the reasons why a text violates a rule for names; empty when it is valid. Messages are those of k8s.io/apimachinery v0.36. */
export type NameRule = (text: string) => readonly string[]

/** Checks a DNS-1123 label: at most 63 characters. */
export const dnsLabel: NameRule = (text) =>
  checkPattern(
    text,
    63,
    LABEL_PATTERN,
    `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
  )

/** Checks a DNS-1035 label: at most 63 characters, a letter first. */
export const dns1035Label: NameRule = (text) => {
  const pattern = '[a-z]([-a-z0-9]*[a-z0-9])?'
  const message = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${pattern}')`
  return [
    ...(text.length > 63 ? ['must be no more than 63 bytes'] : []),
    ...(new RegExp(`^${pattern}$`).test(text) ? [] : [message]),
  ]
}

/** Checks a DNS-1123 subdomain: at most 253 characters. */
export const dnsSubdomain: NameRule = (text) =>
  checkPattern(
    text,
    253,
    SUBDOMAIN_PATTERN,
    `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
  )

/** Checks one segment of a URL path: the names of RBAC objects. */
export const pathSegment: NameRule = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`]
  return ['/', '%'].filter((bad) => text.includes(bad)).map((bad) => `may not contain '${bad}'`)
}

/** Checks `[prefix/]name`: keys of labels, annotations and taints, and resource names. */
export const qualifiedName: NameRule = (text) => {
  const parts = text.split('/')
  const requirement = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME}')`
  if (parts.length > 2)
    return [
      `a valid label key ${requirement} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const name = parts.at(-1) ?? ''
  const problems: string[] = []
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    if (prefix === '') problems.push('prefix part must be non-empty')
    else problems.push(...dnsSubdomain(prefix).map((problem) => `prefix part ${problem}`))
  }
  if (name === '') problems.push('name part must be non-empty')
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes')
  if (!NAME_PATTERN.test(name)) problems.push(`name part ${requirement}`)
  return problems
}

/** Checks a port name. */
export const portName: NameRule = (text) => [
  ...(text.length > 15 ? ['must be no more than 15 bytes'] : []),
  ...(/^[-a-z0-9]+$/.test(text) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(text) ? [] : ['must contain at least one letter (a-z)']),
  ...(text.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(/^-|-$/.test(text) ? ['must not begin or end with a hyphen'] : []),
]

/** Checks a key of a ConfigMap or Secret. */
export const configKey: NameRule = (text) => {
  const problems: string[] = []
  if (text.length > 253) problems.push('must be no more than 253 characters')
  if (!/^[-._a-zA-Z0-9]+$/.test(text)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    )
  }
  if (text === '.' || text === '..') problems.push(`must not be '${text}'`)
  return problems
}

/** Checks a label value: empty, or a name of at most 63 characters. */
export const labelValue: NameRule = (text) => {
  if (text === '') return []
  return checkPattern(
    text,
    63,
    NAME_PATTERN,
    `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME})?')`,
  )
}

function checkPattern(text: string, limit: number, pattern: RegExp, message: string): readonly string[] {
  if (limit === 63 && pattern === LABEL_PATTERN && text.includes('.')) return ['must not contain dots']
  const problems: string[] = []
  if (text.length > limit) problems.push(`must be no more than ${limit} ${limit > 63 ? 'characters' : 'bytes'}`)
  if (!pattern.test(text)) problems.push(message)
  return problems
}
