import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const FILE = '../../../../charts/berth/files/extended-resource-definition.yaml'

/** Returns the CustomResourceDefinition of ExtendedResource objects that the chart installs. */
export function extendedResourceDefinition(): { readonly metadata: { readonly name: string } } {
  return parse(readFileSync(join(import.meta.dirname, FILE), 'utf8')) as {
    readonly metadata: { readonly name: string }
  }
}
