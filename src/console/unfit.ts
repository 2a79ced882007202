/** Characters that never stand in the page as they are: controls, and what turns or hides the text around it. */
export const unfit = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export function isUnfit(text: string): boolean {
  return text.search(unfit) >= 0;
}
