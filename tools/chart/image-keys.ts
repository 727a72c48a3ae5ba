import { z } from 'zod'

/** Returns the schema of an image: repository, tag, digest and pull policy. */
export function imageKeys(description: string): z.ZodType {
  return z
    .strictObject({
      repository: z.string().min(1).describe('Registry and name of the image, without a tag.'),
      tag: z.string().describe('Image tag. Empty: the default tag.'),
      digest: z
        .string()
        .regex(/^(?:sha256:[0-9a-f]{64})?$/)
        .describe('Image digest (sha256:…), used instead of the tag. Empty: use the tag.'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).describe('Image pull policy.'),
    })
    .describe(description)
}
