/** Returns text as it is written in XML, in elements and in attributes. */
export function escapedXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
