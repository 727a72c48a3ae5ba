const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS_SUBDOMAIN = new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`)
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/** Returns whether the text may be the value of a label or taint (`validation.IsValidLabelValue` of apimachinery, v1.36). */
export function isLabelValue(text: string): boolean {
  return LABEL_VALUE.test(text)
}

/** Returns whether the text may name most kinds of objects (`validation.IsDNS1123Subdomain` of apimachinery, v1.36). */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && DNS_SUBDOMAIN.test(text)
}

/**
 * Returns why the text is not a qualified name (`validation.IsQualifiedName` of apimachinery, v1.36), or undefined when
 * it is one.
 */
export function qualifiedNameProblem(text: string): string | undefined {
  const parts = text.split('/')
  if (parts.length > 2) return 'it has more than one slash'
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') return 'the part before the slash is empty'
  if (prefix !== undefined && prefix.length > 253) return 'the part before the slash has more than 253 characters'
  if (prefix !== undefined && !DNS_SUBDOMAIN.test(prefix)) {
    return 'the part before the slash is not a lower-case DNS name such as example.com'
  }
  if (name === '') return 'the name is empty'
  if (name.length > 63) return 'the name has more than 63 characters'
  if (!NAME_PART.test(name)) {
    return 'the name does not consist of letters, digits, "-", "_" and "." with a letter or digit at both ends'
  }
  return undefined
}
