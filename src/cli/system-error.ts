/** Failures of the system as sentences: which file it is, and what is the matter with it. */

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not do that',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what stands before it is no folder',
  EEXIST: 'it is there already',
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'its file system can only be read',
  EMFILE: 'too many files are open',
};

export function sentenceOf(
  error: Error & { readonly code?: unknown; readonly path?: unknown },
): string {
  const sentence = sentences[String(error.code)];
  if (sentence === undefined || typeof error.path !== 'string') return error.message;
  // Files are written under another name first; the user knows the last one.
  return `${error.path.replace(/\.partial(?:-\d+)?$/, '')}: ${sentence}`;
}
