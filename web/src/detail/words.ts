// The few words of a question that are needed before the rest of it is loaded.

export const LOADING = "Loading …";
export const BEATEN = "Somebody else answered first.";
